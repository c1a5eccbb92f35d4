/** What of the configuration of a cluster is in its machines, and whether a change of it replaces them. */
import type { ClusterFactHashes } from '../model/clusterFacts.ts'
import { factHash } from '../model/driftHash.ts'
import type { ClusterConfig } from './clusterConfig.ts'

/**
 * `drifts`: nodes that were made with another value drift. `stays`: the value is in the machine, and the reason why nodes with another value stay.
 * `elsewhere`: the value is in no machine, or other drift compares it.
 */
type Row = 'drifts' | { readonly stays: string } | { readonly elsewhere: string }

const PLACE = 'a cluster keeps it as long as it exists'
const APP = 'the app alone uses it'

/** A row for each field, so that nobody adds a field without the choice. */
export const MACHINE_FACTS: { readonly [Field in keyof Required<ClusterConfig>]: Row } = {
  // With another one, a node does not reach the internet, its registry or its API server, or its pods have no network.
  httpProxy: 'drifts',
  trustedCertificates: 'drifts',
  caBundle: 'drifts',
  apiServer: 'drifts',
  networkPlugin: 'drifts',
  networkPluginMode: 'drifts',
  networkPolicy: 'drifts',
  networkDataplane: 'drifts',
  dnsServiceIp: 'drifts',
  vnetGuid: { stays: 'it follows from the subnet, and a machine cannot leave its network' },
  vnetSubnetId: { stays: 'machines of the former subnet go on to work, and Karpenter keeps them, too' },
  networkSecurityGroupId: { stays: 'the interface of a machine can be given another group without a new machine' },
  networkSecurityGroup: { stays: 'the node needs it only where it writes rules itself, which no node of AKS does' },
  routeTable: { stays: 'the node needs it only where it writes routes itself, which no node of AKS does' },
  backendPoolIds: { stays: 'AKS moves interfaces to the pools of a new load balancer itself, and new interfaces join the present pools' },
  nodeIdentities: { stays: 'identities can be added to a machine without a new one; the identity of the kubelet has its own drift' },
  diskEncryptionSetId: { stays: 'the set of a cluster cannot be changed; disks of another override stay encrypted and readable' },
  sshPublicKey: { stays: 'it is for a log-in only, and no pod depends on it' },
  adminUsername: { stays: 'it is for a log-in only, and no pod depends on it' },
  additionalTags: { stays: 'tags change in place' },
  tenantId: { stays: PLACE },
  location: { stays: PLACE },
  subscriptionId: { stays: PLACE },
  nodeResourceGroup: { stays: PLACE },
  id: { stays: 'it is in a tag, by which machines are found: those of another id are not of this cluster' },
  clusterName: { stays: PLACE },
  machinePrefix: { elsewhere: 'names of machines that are there are still known, by formerMachinePrefixes' },
  formerMachinePrefixes: { elsewhere: APP },
  kubernetesVersion: { stays: 'the version has its own drift, by the status of the class' },
  kubeletIdentityClientId: { stays: 'it has its own drift, by the label of the node' },
  images: { elsewhere: 'images have their own drift, by the status of the class' },
  vmMemoryOverheadPercent: { elsewhere: 'the size of a machine is what it is; plans use it' },
  shimServiceAccount: { elsewhere: APP },
  readerServiceAccount: { elsewhere: APP },
  allowedShimIdentities: { elsewhere: APP },
  allowedReaderIdentities: { elsewhere: APP },
  eventGridTopicId: { elsewhere: APP },
  apiServerAudience: { elsewhere: APP },
  podDeletionCosts: { elsewhere: APP },
  oidcIssuer: { elsewhere: APP },
  unsupported: { elsewhere: 'with one, no machine is made' },
  hasFacts: { elsewhere: 'it tells whether the other facts are known' },
  fipsPools: { elsewhere: 'a class has to say what these pools say' },
  encryptedPools: { elsewhere: 'a class has to say what these pools say' },
}

/**
 * The hashes by which nodes drift. Undefined while Azure has not told the facts: the configuration then has no proxy and no certificates, and all nodes
 * would drift. Undefined, too, while the cluster has a member that is not supported: its proxy or certificates are then read as none, and no machine can
 * be made in place of a node that drifts.
 */
export function clusterFactHashes(config: ClusterConfig): ClusterFactHashes | undefined {
  if (!config.hasFacts || config.unsupported.length > 0) return undefined
  const values = { ...config, apiServer: new URL(config.apiServer).host, httpProxy: configuredProxy(config) }
  const names = Object.entries(MACHINE_FACTS).flatMap(([name, row]) =>
    row === 'drifts' && Reflect.get(values, name) !== UNKNOWN ? [name] : [],
  )
  return Object.fromEntries(names.map((name) => [name, factHash(Reflect.get(values, name))]))
}

const UNKNOWN = Symbol('a fact that an older version stored without what is compared')

/** The proxy as the cluster says. What Joiner excepts from it changes with versions of Joiner, and with ranges of networks, which no node drifts by. */
function configuredProxy({ httpProxy }: ClusterConfig): object | undefined | typeof UNKNOWN {
  if (httpProxy === undefined) return undefined
  const { noProxy: _, configuredNoProxy, ...proxy } = httpProxy
  return configuredNoProxy === undefined ? UNKNOWN : { ...proxy, noProxy: configuredNoProxy }
}
