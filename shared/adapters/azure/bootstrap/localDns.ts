import { InternalError } from '../../../base/result.ts'
import { localDnsMode, localDnsState, type NodeClass } from '../../../model/nodeClass.ts'
import { secondsIn } from '../../../model/time.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { type LocalDnsProfile, localDns } from '../../../wire/schema/localDnsSchema.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { isAtLeast } from '../images/imageFamily.ts'
import { corefile, type DnsZone, HEALTH_ZONE } from './corefile.ts'

type Finding = { readonly path: string; readonly says: string }

/** The first version of Kubernetes with local DNS on AKS. (learn.microsoft.com/azure/aks/localdns-custom of 2026-07-06.) */
const OLDEST_MINOR = 31
/** The most seconds of a duration: AKS keeps durations as numbers of 32 bits. */
const LONGEST = 2 ** 31 - 1
/** The most bytes of the Corefile in base64. The other values of the boot script fit into the 16 KiB that custom data has left. */
const MOST_BYTES = 48 * 1024
const AT = 'spec.localDNS'

/**
 * The variables of local DNS for the scripts of the image, which `enableLocalDNS` reads. Limits are the defaults of the image. Images that know
 * LOCALDNS_COREFILE_BASE take LOCALDNS_GENERATED_COREFILE where it is not set. (Azure/AgentBaker, cse_config.sh and localdns.sh of 2026-08-21.)
 */
export function localDnsVariables(nodeClass: NodeClass, config: ClusterConfig): Record<string, string> {
  if (localDnsState(nodeClass) === 'Disabled') return {}
  const parsed = localDns.safeParse(nodeClass.spec.localDns)
  if (!parsed.success) throw new InternalError(`${AT} is made into variables before it is checked`)
  return {
    SHOULD_ENABLE_LOCALDNS: 'true',
    LOCALDNS_CPU_LIMIT: '200.0%',
    LOCALDNS_MEMORY_LIMIT: '128M',
    LOCALDNS_GENERATED_COREFILE: encoded(parsed.data, config),
  }
}

/**
 * Why no node of the class can have the DNS server that the class asks for. Undefined if it can, or if the class asks for none. The schema in the cluster
 * may be older than this program, or not installed, so its rules are checked here, too. CoreDNS does not start with the other values that are refused.
 */
export function localDnsProblem(nodeClass: NodeClass, config: ClusterConfig): Finding | undefined {
  if (!asksForIt(nodeClass)) return undefined
  const parsed = localDns.safeParse(nodeClass.spec.localDns)
  if (!parsed.success) return unreadable(parsed.error.issues[0])
  return (
    nodeProblem(nodeClass, config) ??
    listProblem('vnetDNSOverrides', parsed.data) ??
    listProblem('kubeDNSOverrides', parsed.data) ??
    tooLong(parsed.data, config)
  )
}

/** A mode that is not known asks for it, so that it is refused. */
function asksForIt(nodeClass: NodeClass): boolean {
  const mode = localDnsMode(nodeClass.spec.localDns)
  if (mode === 'Preferred') return localDnsState(nodeClass) === 'Enabled'
  return nodeClass.spec.localDns !== undefined && mode !== 'Disabled'
}

function unreadable(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): Finding {
  const path = (issue?.path ?? []).map((each) => (typeof each === 'number' ? `[${each}]` : `.${String(each)}`)).join('')
  return { path: `${AT}${path}`, says: `cannot be used: ${issue?.message ?? 'not readable'}` }
}

/** FIPS: the tests of the images leave local DNS out on those with FIPS. (Azure/AgentBaker, e2e/config/vhd.go of 2026-08-21.) */
function nodeProblem(nodeClass: NodeClass, config: ClusterConfig): Finding | undefined {
  const version = kubernetesVersionOf(nodeClass, config)
  if (!isAtLeast(version, OLDEST_MINOR))
    return { path: `${AT}.mode`, says: `needs Kubernetes 1.${OLDEST_MINOR} or later; nodes get ${version}` }
  return nodeClass.spec.fipsMode === 'FIPS'
    ? { path: `${AT}.mode`, says: 'is not known to work with images of spec.fipsMode FIPS' }
    : undefined
}

function tooLong(profile: LocalDnsProfile, config: ClusterConfig): Finding | undefined {
  const bytes = encoded(profile, config).length
  return bytes <= MOST_BYTES
    ? undefined
    : { path: AT, says: `comes to ${bytes} bytes of boot data, of which ${MOST_BYTES} fit; list fewer zones` }
}

function encoded(profile: LocalDnsProfile, { dnsServiceIp }: Pick<ClusterConfig, 'dnsServiceIp'>): string {
  return Buffer.from(corefile(profile, dnsServiceIp), 'utf8').toString('base64')
}

function listProblem(list: 'vnetDNSOverrides' | 'kubeDNSOverrides', profile: LocalDnsProfile): Finding | undefined {
  const path = `${AT}.${list}`
  const zones = profile[list]
  const missing = ['.', 'cluster.local'].find((needed) => zones.every(({ zone }) => zone !== needed))
  if (missing !== undefined) return { path, says: `must list ${missing}` }
  const names = zones.map(({ zone }) => sameName(zone))
  const twice = names.findIndex((name, index) => name === HEALTH_ZONE || names.indexOf(name) !== index)
  if (twice >= 0)
    return { path: `${path}[${twice}].zone`, says: `is a name that CoreDNS has already, whatever its case and last dot: ${names[twice]}` }
  return zones.map((zone, index) => zoneProblem(zone, list, `${path}[${index}]`)).find((found) => found !== undefined)
}

/** The name as CoreDNS compares it. */
function sameName(zone: string): string {
  return zone === '.' ? zone : zone.toLowerCase().replace(/\.$/, '')
}

function zoneProblem(zone: DnsZone, list: string, path: string): Finding | undefined {
  const isCluster = zone.zone.endsWith('cluster.local')
  const toCluster = zone.forwardDestination === 'ClusterCoreDNS'
  if (isCluster && !toCluster) return { path: `${path}.forwardDestination`, says: 'must be ClusterCoreDNS for a zone of the cluster' }
  if (list === 'vnetDNSOverrides' && toCluster && !isCluster)
    return { path: `${path}.forwardDestination`, says: 'must be VnetDNS for a zone outside of the cluster' }
  if (zone.serveStale === 'Verify' && zone.protocol === 'ForceTCP')
    return { path: `${path}.serveStale`, says: 'cannot be Verify with protocol ForceTCP' }
  const cached = secondsIn(zone.cacheDuration)
  if (cached < 1 || cached > LONGEST)
    return { path: `${path}.cacheDuration`, says: `must be 1 to ${LONGEST} seconds: CoreDNS does not start with another` }
  return secondsIn(zone.serveStaleDuration) <= LONGEST
    ? undefined
    : { path: `${path}.serveStaleDuration`, says: `must be at most ${LONGEST} seconds` }
}
