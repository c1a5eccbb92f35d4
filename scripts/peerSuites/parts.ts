/** What the suites of Karpenter need to run on Joiner. Each suite runs in parts, because a run has one default NodePool for all of its specs. */
import { DEFAULT_REPAIR_POLICIES } from '../../shared/model/repairPolicy.ts'
import { formatDuration } from '../../shared/model/time.ts'

export type PeerPart = {
  readonly name: string
  /** Regular expressions on the names of specs. An empty `focus` selects every spec. An empty `skip` leaves out no spec. */
  readonly focus: string
  readonly skip: string
  readonly nodePool: object
}

export type Suite = 'regression' | 'disruption'

/** A node condition as the flags of the suites write it. */
const REPAIR_CONDITION = 'kubernetes.azure.com/NodeHealthy=False'
const REBOOT_CONDITION = 'testing.karpenter.sh/RebootRequired=True'

const CLASS_GROUP = 'karpenter.azure.com'
export const NODE_CLASS = {
  apiVersion: `${CLASS_GROUP}/v1beta1`,
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu2204' },
}

/** The specs of daemon sets need both architectures. */
const GENERAL_POOL = nodePool([])

/** The specs of buffers expect machines with two cores. For KWOK, the specs set this requirement by themselves. */
const SMALL_POOL = nodePool([only(`${CLASS_GROUP}/sku-cpu`, '2')])

/**
 * A spec of default constraints expects one machine for pods that take four cores, and others a machine of less than two cores for each pod. Among all
 * sizes, two machines of other sizes are the cheapest.
 */
const TWO_SIZES_POOL = nodePool([only(`${CLASS_GROUP}/sku-cpu`, '2', '8')])

export const SUITES: { readonly [name in Suite]: readonly PeerPart[] } = {
  regression: [
    { name: 'buffers', focus: 'CapacityBuffer', skip: '', nodePool: SMALL_POOL },
    { name: 'default-constraints', focus: 'DefaultTopologySpreadConstraints', skip: '', nodePool: TWO_SIZES_POOL },
    { name: 'others', focus: '', skip: 'CapacityBuffer|DefaultTopologySpreadConstraints', nodePool: GENERAL_POOL },
  ],
  disruption: [{ name: 'all', focus: '', skip: '', nodePool: GENERAL_POOL }],
}

export const CONDITION_FLAGS = {
  regression: [],
  disruption: [`--repair-condition=${REPAIR_CONDITION}`, `--reboot-condition=${REBOOT_CONDITION}`],
} as const

/** The default policies, and a policy that reboots a node. The condition of the last policy is a flag of the suite. */
const REPAIR_POLICIES = [
  ...DEFAULT_REPAIR_POLICIES.map((policy) => ({
    ...policy,
    tolerationDuration: formatDuration(policy.tolerationDuration),
    ...(policy.terminationGracePeriod === undefined ? {} : { terminationGracePeriod: formatDuration(policy.terminationGracePeriod) }),
  })),
  {
    conditionType: 'testing.karpenter.sh/RebootRequired',
    conditionStatus: 'True',
    reasonRegex: '.*',
    tolerationDuration: '30s',
    terminationGracePeriod: '1m',
    action: 'RebootNode',
  },
]

/** Settings of the function app. */
export const SETTINGS = { REPAIR_POLICIES: JSON.stringify(REPAIR_POLICIES) }

export function isSuite(name: string): name is Suite {
  return Object.hasOwn(SUITES, name)
}

function only(key: string, ...values: readonly string[]): object {
  return { key, operator: 'In', values }
}

function nodePool(requirements: readonly object[]): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: {
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] },
      template: {
        spec: {
          expireAfter: 'Never',
          nodeClassRef: { group: CLASS_GROUP, kind: 'AKSNodeClass', name: 'default' },
          requirements: [
            only('kubernetes.io/os', 'linux'),
            only('karpenter.sh/capacity-type', 'on-demand'),
            only(`${CLASS_GROUP}/sku-family`, 'D'),
            ...requirements,
          ],
        },
      },
    },
  }
}
