import { byText } from '../base/lists.ts'
import { defined, ownValue } from '../base/values.ts'
import { ANNOTATION, type Labels } from './labels.ts'
import type { ProblemCode } from './problem.ts'

/** The oldest minor version of Kubernetes 1 whose kubelet the boot code of a machine supports. */
export const OLDEST_MINOR = 30
/** The newest minor version of Kubernetes 1 whose images, kubelet flags and reservations are known. */
export const NEWEST_MINOR = 36

/** What Azure reports about a cluster. Read from ARM, never configured by hand. Names are those of ARM where they are clear. */
export type ClusterFacts = {
  /** The id that was asked for. */
  readonly resourceId: string
  /** Lower case, without spaces: `eastus`. */
  readonly location: string
  /** Version of the control plane, `1.34.2`. */
  readonly kubernetesVersion: string
  readonly powerState: 'Running' | 'Stopped'
  /** `Succeeded`, `Updating`, `Failed` and so on. */
  readonly provisioningState: string
  /** `Base` or `Automatic`. */
  readonly sku: string
  readonly nodeResourceGroup: string
  /** `ReadOnly` if a deny assignment lets only AKS change the node resource group. */
  readonly nodeResourceGroupRestriction: string
  /** `ServicePrincipal` if the cluster has no managed identity. */
  readonly identity: 'ManagedIdentity' | 'ServicePrincipal'
  readonly kubeletIdentity?: KubeletIdentity
  /** `Auto` if AKS node auto-provisioning is on. */
  readonly nodeProvisioning: string
  readonly hasWorkloadIdentity: boolean
  /** URL of the issuer whose keys sign the tokens of service accounts. */
  readonly oidcIssuer?: string
  /** Undefined if the API server accepts no Entra tokens. */
  readonly entra?: { readonly tenantId?: string }
  readonly apiServer: ApiServerFacts
  readonly network: NetworkFacts
  readonly sshPublicKey?: string
  readonly pools: readonly AgentPoolFacts[]
  /** The set that AKS encrypts the disks of its nodes with. */
  readonly diskEncryptionSetId?: string
  /** Undefined if nodes reach the internet without a proxy. */
  readonly httpProxy?: HttpProxy
  /** Certificate authorities that the nodes trust: base64 of PEM. */
  readonly trustedCertificates: readonly string[]
  /** What Joiner cannot prepare a node for. With one of these, no machine is made. */
  readonly unsupported: readonly UnsupportedMember[]
}

/** A member of the managed cluster, or something that belongs to it, whose value is not supported. */
export type UnsupportedMember = {
  readonly code: Extract<ProblemCode, 'PREFLIGHT.NETWORK' | 'PREFLIGHT.OUTBOUND' | 'PREFLIGHT.UNSUPPORTED'>
  /** Path below `properties`: `networkProfile.networkPlugin`. Or the kind of resources that AKS made for the cluster. */
  readonly member: string
  readonly message: string
  readonly remedy: string
  /** The field of the entry of the cluster that settles it. Undefined if none does. */
  readonly settledBy?: string
}

/** What is not supported, without what these fields of the entry of the cluster settle. */
export function unsupportedBeside(
  { unsupported }: Pick<ClusterFacts, 'unsupported'>,
  overrides: readonly string[],
): readonly UnsupportedMember[] {
  return unsupported.filter(({ settledBy }) => settledBy === undefined || !overrides.includes(settledBy))
}

export type KubeletIdentity = { readonly clientId: string; readonly resourceId: string }

export type ApiServerFacts = {
  /** `https://host`. The host name depends on whether the cluster is private. */
  readonly url: string
  readonly isPrivate: boolean
  /** CIDRs. Empty if every address may connect. */
  readonly authorizedRanges: readonly string[]
}

export type NetworkFacts = {
  readonly plugin: string
  /** `overlay`, or empty. */
  readonly pluginMode: string
  readonly policy: string
  readonly dataplane: string
  readonly outboundType: string
  readonly dnsServiceIp?: string
  /** Id of the subnet of the system pools' nodes. */
  readonly subnetId?: string
  /** `resourceGuid` of the virtual network of the machines. Read for overlay networks only, whose nodes need it. */
  readonly vnetGuid?: string
  /** Ids of the backend pools of the cluster's load balancer that a machine must join for outbound connections. */
  readonly backendPoolIds: readonly string[]
  /** The network security group that AKS made. Machines outside AKS's virtual network need to name it. */
  readonly networkSecurityGroupId?: string
}

export type AgentPoolFacts = {
  readonly name: string
  /** `System` or `User`. */
  readonly mode: string
  readonly count: number
  readonly taints: readonly string[]
  /** Whether its nodes run FIPS images. */
  readonly hasFips: boolean
  readonly encryptsAtHost: boolean
  /** Whether its nodes run a DNS server of their own. */
  readonly hasLocalDns: boolean
  /** Whether the cluster autoscaler of AKS changes its count. */
  readonly autoscales: boolean
  readonly subnetId?: string
}

/** Hashes of the facts of a cluster that its nodes are made from, by the name of the fact. */
export type ClusterFactHashes = Labels

/** The version of these hashes. Hashes of another version are not known, and are written anew. */
const VERSION = 'v1'

/** The hashes that the claim was launched with. A fact without one is not known. */
export function hashesOf(annotations: Labels): ClusterFactHashes {
  const [version, ...written] = (annotations[ANNOTATION.clusterFacts] ?? '').split(' ')
  const pairs = (version === VERSION ? written : []).flatMap((pair) => {
    const [name = '', hash = ''] = pair.split('=')
    return name === '' || hash === '' ? [] : [[name, hash] as const]
  })
  return Object.fromEntries(pairs)
}

export function hashesAnnotation(hashes: ClusterFactHashes | undefined): Labels {
  const pairs = Object.entries(hashes ?? {}).sort(([one], [other]) => byText(one, other))
  const texts = pairs.map(([name, hash]) => `${name}=${hash}`)
  return defined({ [ANNOTATION.clusterFacts]: texts.length === 0 ? undefined : [VERSION, ...texts].join(' ') })
}

/** The names of the facts that have changed since. A fact that is not known then or now has not changed. */
export function changedFacts(then: ClusterFactHashes, now: ClusterFactHashes): readonly string[] {
  return Object.entries(now)
    .filter(([name, hash]) => (ownValue(then, name) ?? hash) !== hash)
    .map(([name]) => name)
    .sort(byText)
}

/** The annotation with the facts that the claim has no hash of. Undefined if it has one of each. */
export function completed(annotations: Labels, now: ClusterFactHashes | undefined): Labels | undefined {
  const then = hashesOf(annotations)
  const isComplete = Object.keys(now ?? {}).every((name) => ownValue(then, name) !== undefined)
  return isComplete ? undefined : hashesAnnotation({ ...now, ...then })
}

/** The HTTP proxy of the nodes of a cluster. */
export type HttpProxy = {
  readonly http?: string
  readonly https?: string
  /** Names, addresses and ranges that are reached without the proxy, with those that AKS adds. */
  readonly noProxy: readonly string[]
  /** The exceptions that the cluster itself names. Absent in facts that an older version stored. */
  readonly configuredNoProxy?: readonly string[]
  /** Certificate authority of the proxy: base64 of PEM. */
  readonly trustedCa?: string
}

/**
 * What AKS excepts from the proxy of each node by itself. Stable versions of the API do not tell it (`effectiveNoProxy`). Sources: the node
 * configuration of Azure/AgentBaker, e2e/node_config.go (2026-08-21); a maintainer in kubernetes-sigs/cluster-api-provider-azure#1947 (2022-01).
 */
const ALWAYS_NEAR = ['localhost', '127.0.0.1', '168.63.129.16', '169.254.169.254', 'konnectivity']

/** The proxy with the exceptions that AKS adds: addresses of the machine and of the platform, the API server, and the ranges of pods and services. */
export function exceptNear(proxy: HttpProxy, apiServerUrl: string, ranges: readonly (string | undefined)[]): HttpProxy {
  const apiServer = apiServerUrl.replace(/^https:\/\//, '').replace(/[:/].*$/, '')
  return exceptRanges({ ...proxy, configuredNoProxy: proxy.noProxy }, [
    ...ALWAYS_NEAR,
    apiServer,
    ...ranges.filter((range) => range !== undefined),
  ])
}

/** The proxy with further exceptions, each once. */
export function exceptRanges(proxy: HttpProxy, ranges: readonly string[]): HttpProxy {
  return { ...proxy, noProxy: [...new Set([...proxy.noProxy, ...ranges])] }
}
