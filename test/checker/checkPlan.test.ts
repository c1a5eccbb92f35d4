import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Action, CreateClaim, Decision } from '../../shared/model/decision.ts'
import { nodeClaimName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { microUsdPerHour } from '../../shared/model/units.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'
import { checkPlan } from './checkPlan.ts'

type Case = {
  readonly given?: SnapshotShape['objects']
  readonly after?: (before: ClusterSnapshot) => ClusterSnapshot
  readonly breaks?: (decision: Decision) => Decision
  readonly want: string
}

const PLAIN: SnapshotShape['objects'] = { pod: pods(3, { name: 'p' }) }

/** A correct plan, then broken: in the plan, or in the cluster it was made for. */
const BROKEN: { readonly [sentence: string]: Case } = {
  'a pod on two claims': {
    breaks: (decision) => ({ ...decision, actions: [...decision.actions, ...decision.actions.filter(isCreate).map(renamed)] }),
    want: 'placed 2 times',
  },
  'two claims of one name': {
    breaks: (decision) => ({ ...decision, actions: [...decision.actions, ...decision.actions.filter(isCreate)] }),
    want: 'the name is taken',
  },
  'a pod nobody places or refuses': { breaks: (decision) => ({ ...decision, actions: [] }), want: 'neither placed nor refused' },
  'a pod both placed and refused': {
    breaks: (decision) => ({
      ...decision,
      reasons: [{ code: 'POOL.LIMIT', subject: { kind: 'pod', name: 'default/p-0' }, message: '' }],
    }),
    want: 'placed and refused',
  },
  'a size that is too small': {
    breaks: naming('Standard_D2pls_v6'),
    want: 'as Standard_D2pls_v6 (on-demand in eastus-1): it has 1900 cpu',
  },
  'a size that does not exist': { breaks: naming('Standard_None'), want: 'Standard_None cannot serve' },
  'a choice that is not the cheapest': {
    breaks: changing((create) => ({ ...create, choice: { ...create.choice, price: microUsdPerHour(999_999) } })),
    want: 'its choice has another price',
  },
  'a choice nobody sells': {
    breaks: changing((create) => ({ ...create, choice: { ...create.choice, capacityType: 'reserved' } })),
    want: 'its choice is not for sale',
  },
  'a name too long for a machine': {
    breaks: changing((create) => ({ ...create, draft: { ...create.draft, name: nodeClaimName('x'.repeat(60)) } })),
    want: 'not a name for a machine',
  },
  'a daemon nobody reckoned with': { after: withObjects({ daemonSet: [daemonSet({ cpus: 60 })] }), want: '63000 would be asked of it' },
  'a taint the pods do not tolerate': {
    after: withObjects({ nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })] }),
    want: 'its taints are not those of its nodepool',
  },
  'a pool that is not ready': {
    after: withObjects({ nodePool: [nodePool({ status: { conditions: [], resources: {} } })] }),
    want: 'its nodepool makes no claims now',
  },
  'a limit': { after: withObjects({ nodePool: [nodePool({ limits: { cpu: 1000 } })] }), want: 'its limit is 1000' },
  'a pod that selects another zone': {
    after: withObjects({ pod: pods(3, { name: 'p', nodeSelector: { [LABEL.zone]: 'eastus-2' } }) }),
    want: 'must not run on',
  },
  'pods that want one host port': {
    after: withObjects({ pod: pods(3, { name: 'p', hostPorts: [{ ip: '', port: 80, protocol: 'TCP' }] }) }),
    want: 'wants a host port',
  },
  'more pods than a node has room for': {
    given: { ...PLAIN, node: [node()], nodeClaim: [nodeClaim()] },
    after: withObjects({ pod: [...pods(3, { name: 'p' }), pod({ name: 'old', cpus: 2, nodeName: 'joiner-default-aaaaa' })] }),
    want: 'it has 3860 cpu, 5000 would be asked of it',
  },
  'pods on a node that goes': {
    given: { ...PLAIN, node: [node()], nodeClaim: [nodeClaim()] },
    after: withObjects({ nodeClaim: [nodeClaim({ meta: { deletedAt: pod().createdAt } })] }),
    want: 'it is being deleted',
  },
}

describe('the checker', () => {
  it('finds nothing in a correct plan', () => {
    const before = snapshot({ objects: PLAIN })
    expect(checkPlan(before, decideProvisioning(before))).toEqual([])
  })

  for (const [sentence, { given = PLAIN, after, breaks, want }] of Object.entries(BROKEN)) {
    it(`sees ${sentence}`, () => {
      const before = snapshot({ objects: given })
      const decision = decideProvisioning(before)
      expect(checkPlan(before, decision)).toEqual([])
      expect(checkPlan(after?.(before) ?? before, breaks?.(decision) ?? decision).join('\n')).toContain(want)
    })
  }
})

function isCreate(action: Action): action is CreateClaim {
  return action.kind === 'createClaim'
}

function renamed(create: CreateClaim): CreateClaim {
  return { ...create, draft: { ...create.draft, name: nodeClaimName(`${create.draft.name}x`) } }
}

function changing(change: (create: CreateClaim) => CreateClaim) {
  return (decision: Decision): Decision => ({
    ...decision,
    actions: decision.actions.map((action) => (isCreate(action) ? change(action) : action)),
  })
}

function naming(size: string) {
  return changing((create) => {
    const requirements = create.draft.spec.requirements.map((each) =>
      each.key === LABEL.instanceType ? { ...each, values: [...each.values, size] } : each,
    )
    return { ...create, draft: { ...create.draft, spec: { ...create.draft.spec, requirements } } }
  })
}

function withObjects(objects: NonNullable<SnapshotShape['objects']>) {
  return (before: ClusterSnapshot): ClusterSnapshot => ({ ...before, objects: { ...before.objects, ...objects } })
}
