import { defined, ownValue } from '../../base/values.ts'
import { nodeClassName } from '../../model/ids.ts'
import type { KubeletSettings, NodeClass, NodeClassSpec } from '../../model/nodeClass.ts'
import { isObject, NO_ITEMS } from '../codec.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, isOwnAnnotation, labels, metaOf } from './meta.ts'
import { flag, integer, items, type KubeRead, knownOr, listOf, maybe, need, object, requirementSpec, text, unknownValues } from './read.ts'

export const nodeClass: KubeRead<NodeClass> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  return {
    name: nodeClassName(need(metadata, 'name', text, trail)),
    meta: meta(metadata, trail),
    spec: maybe(root, 'spec', spec, trail) ?? spec({}, trail),
    ...unknownValues(root, trail),
    status: maybe(root, 'status', status, trail) ?? { conditions: NO_ITEMS, images: NO_ITEMS },
  }
}

const meta = metaOf(isOwnAnnotation)
const family = knownOr('Ubuntu', 'Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux')
const diskType = knownOr(undefined, 'Managed')
const fipsMode = knownOr(undefined, 'FIPS', 'Disabled')
const gpuMode = knownOr('Driver', 'Driver', 'None')
const cpuManagerPolicy = knownOr(undefined, 'none', 'static')
const topologyManagerPolicy = knownOr(undefined, 'restricted', 'best-effort', 'none', 'single-numa-node')

const spec: KubeRead<NodeClassSpec> = (json, trail) => {
  const source = object(json, trail)
  const security = maybe(source, 'security', object, trail) ?? {}
  const gpu = maybe(source, 'gpu', object, trail) ?? {}
  const streaming = maybe(source, 'artifactStreaming', object, trail) ?? {}
  return defined({
    vnetSubnetId: maybe(source, 'vnetSubnetID', text, trail) || undefined,
    osDiskSizeGb: maybe(source, 'osDiskSizeGB', integer, trail) ?? 128,
    osDiskType: maybe(source, 'osDiskType', diskType, trail),
    imageFamily: maybe(source, 'imageFamily', family, trail) ?? 'Ubuntu',
    fipsMode: maybe(source, 'fipsMode', fipsMode, trail),
    tags: maybe(source, 'tags', labels, trail) ?? NO_LABELS,
    maxPods: maybe(source, 'maxPods', integer, trail),
    kubelet: maybe(source, 'kubelet', kubelet, trail) ?? {},
    gpuMode: maybe(gpu, 'mode', gpuMode, trail) ?? 'Driver',
    encryptionAtHost: maybe(security, 'encryptionAtHost', flag, trail),
    trustedLaunch: maybe(security, 'trustedLaunch', trustedLaunch, trail),
    artifactStreaming: maybe(streaming, 'enabled', flag, trail),
    localDns: maybe(source, 'localDNS', localDns, trail),
    linuxOsConfig: maybe(source, 'linuxOSConfig', linuxOsConfig, trail),
  })
}

/** Passed on as written, since the API server has validated it. Values of a later version are noted. */
function passed(values: { readonly [member: string]: KubeRead<unknown> }): KubeRead<unknown> {
  return (json, trail) => {
    if (!isObject(json)) return json
    for (const [name, read] of Object.entries(values)) {
      const member = ownValue(json, name)
      if (typeof member === 'string' || Array.isArray(member)) maybe(json, name, read, trail)
    }
    return json
  }
}

const dnsZones = listOf(
  passed({
    queryLogging: knownOr(undefined, 'Error', 'Log'),
    protocol: knownOr(undefined, 'PreferUDP', 'ForceTCP'),
    forwardDestination: knownOr(undefined, 'ClusterCoreDNS', 'VnetDNS'),
    forwardPolicy: knownOr(undefined, 'Sequential', 'RoundRobin', 'Random'),
    serveStale: knownOr(undefined, 'Verify', 'Immediate', 'Disable'),
  }),
)
const localDns = passed({
  mode: knownOr(undefined, 'Preferred', 'Required', 'Disabled'),
  vnetDNSOverrides: dnsZones,
  kubeDNSOverrides: dnsZones,
})
const linuxOsConfig = passed({
  transparentHugePageDefrag: knownOr(undefined, 'always', 'defer', 'defer+madvise', 'madvise', 'never'),
  transparentHugePageEnabled: knownOr(undefined, 'always', 'madvise', 'never'),
})

const trustedLaunch: KubeRead<NonNullable<NodeClassSpec['trustedLaunch']>> = (json, trail) => {
  const source = object(json, trail)
  return defined({ vtpm: maybe(source, 'vtpm', flag, trail), secureBoot: maybe(source, 'secureBoot', flag, trail) })
}

const kubelet: KubeRead<KubeletSettings> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    cpuManagerPolicy: maybe(source, 'cpuManagerPolicy', cpuManagerPolicy, trail),
    cpuCfsQuota: maybe(source, 'cpuCFSQuota', flag, trail),
    cpuCfsQuotaPeriod: maybe(source, 'cpuCFSQuotaPeriod', text, trail),
    imageGcHighThresholdPercent: maybe(source, 'imageGCHighThresholdPercent', integer, trail),
    imageGcLowThresholdPercent: maybe(source, 'imageGCLowThresholdPercent', integer, trail),
    topologyManagerPolicy: maybe(source, 'topologyManagerPolicy', topologyManagerPolicy, trail),
    allowedUnsafeSysctls: maybe(source, 'allowedUnsafeSysctls', listOf(text), trail),
    containerLogMaxSize: maybe(source, 'containerLogMaxSize', text, trail),
    containerLogMaxFiles: maybe(source, 'containerLogMaxFiles', integer, trail),
    podPidsLimit: maybe(source, 'podPidsLimit', integer, trail),
    failSwapOn: maybe(source, 'failSwapOn', flag, trail),
  })
}

const image: KubeRead<NodeClass['status']['images'][number]> = (json, trail) => {
  const source = object(json, trail)
  return { id: need(source, 'id', text, trail), requirements: items(source, 'requirements', requirementSpec, trail) }
}

/** A state of a later version is written anew, as every status is. */
const localDnsState: KubeRead<NodeClass['status']['localDnsState']> = (json, trail) => STATES.find((each) => each === text(json, trail))
const STATES = ['Enabled', 'Disabled'] as const

const status: KubeRead<NodeClass['status']> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    conditions: items(source, 'conditions', condition, trail),
    kubernetesVersion: maybe(source, 'kubernetesVersion', text, trail),
    images: items(source, 'images', image, trail),
    localDnsState: maybe(source, 'localDNSState', localDnsState, trail),
  })
}
