import { defined } from '../../base/values.ts'
import { nodeClassName } from '../../model/ids.ts'
import type { KubeletSettings, NodeClass, NodeClassSpec } from '../../model/nodeClass.ts'
import { NO_ITEMS } from '../codec.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, isOwnAnnotation, labels, metaOf } from './meta.ts'
import { flag, integer, items, type KubeRead, listOf, maybe, need, object, oneOf, requirementSpec, text } from './read.ts'

export const nodeClass: KubeRead<NodeClass> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  return {
    name: nodeClassName(need(metadata, 'name', text, trail)),
    meta: meta(metadata, trail),
    spec: maybe(root, 'spec', spec, trail) ?? spec({}, trail),
    status: maybe(root, 'status', status, trail) ?? { conditions: NO_ITEMS, images: NO_ITEMS },
  }
}

const meta = metaOf(isOwnAnnotation)
const family = oneOf('Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux')
/** Passed on as written, since the API server has validated it. */
const anything: KubeRead<unknown> = (json) => json

const spec: KubeRead<NodeClassSpec> = (json, trail) => {
  const source = object(json, trail)
  const security = maybe(source, 'security', object, trail) ?? {}
  const gpu = maybe(source, 'gpu', object, trail) ?? {}
  const streaming = maybe(source, 'artifactStreaming', object, trail) ?? {}
  return defined({
    vnetSubnetId: maybe(source, 'vnetSubnetID', text, trail) || undefined,
    osDiskSizeGb: maybe(source, 'osDiskSizeGB', integer, trail) ?? 128,
    osDiskType: maybe(source, 'osDiskType', oneOf('Managed'), trail),
    imageFamily: maybe(source, 'imageFamily', family, trail) ?? 'Ubuntu',
    fipsMode: maybe(source, 'fipsMode', oneOf('FIPS', 'Disabled'), trail),
    tags: maybe(source, 'tags', labels, trail) ?? NO_LABELS,
    maxPods: maybe(source, 'maxPods', integer, trail),
    kubelet: maybe(source, 'kubelet', kubelet, trail) ?? {},
    gpuMode: maybe(gpu, 'mode', oneOf('Driver', 'None'), trail) ?? 'Driver',
    encryptionAtHost: maybe(security, 'encryptionAtHost', flag, trail),
    trustedLaunch: maybe(security, 'trustedLaunch', trustedLaunch, trail),
    artifactStreaming: maybe(streaming, 'enabled', flag, trail),
    localDns: maybe(source, 'localDNS', anything, trail),
    linuxOsConfig: maybe(source, 'linuxOSConfig', anything, trail),
  })
}

const trustedLaunch: KubeRead<NonNullable<NodeClassSpec['trustedLaunch']>> = (json, trail) => {
  const source = object(json, trail)
  return defined({ vtpm: maybe(source, 'vtpm', flag, trail), secureBoot: maybe(source, 'secureBoot', flag, trail) })
}

const kubelet: KubeRead<KubeletSettings> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    cpuManagerPolicy: maybe(source, 'cpuManagerPolicy', text, trail),
    cpuCfsQuota: maybe(source, 'cpuCFSQuota', flag, trail),
    cpuCfsQuotaPeriod: maybe(source, 'cpuCFSQuotaPeriod', text, trail),
    imageGcHighThresholdPercent: maybe(source, 'imageGCHighThresholdPercent', integer, trail),
    imageGcLowThresholdPercent: maybe(source, 'imageGCLowThresholdPercent', integer, trail),
    topologyManagerPolicy: maybe(source, 'topologyManagerPolicy', text, trail),
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

const localDnsState = oneOf('Enabled', 'Disabled')

const status: KubeRead<NodeClass['status']> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    conditions: items(source, 'conditions', condition, trail),
    kubernetesVersion: maybe(source, 'kubernetesVersion', text, trail),
    images: items(source, 'images', image, trail),
    localDnsState: maybe(source, 'localDNSState', localDnsState, trail),
  })
}
