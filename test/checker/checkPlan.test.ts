import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Action, CreateClaim, Decision } from '../../shared/model/decision.ts'
import { nodeClaimName, vmSizeName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { microUsdPerHour } from '../../shared/model/units.ts'
import { NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { node } from '../builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod, pods, STATEFUL_SET } from '../builders/pod.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'
import { checkPlan, violationsOf } from './checkPlan.ts'
import type { Rule } from './violation.ts'

type Case = {
  readonly given?: SnapshotShape['objects']
  readonly after?: (before: ClusterSnapshot) => ClusterSnapshot
  readonly breaks?: (decision: Decision) => Decision
  readonly want: string
}

const PLAIN: NonNullable<SnapshotShape['objects']> = { pod: pods(3, { name: 'p' }) }

/** A correct plan that is then broken: in the plan itself, or in its cluster. */
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
  'a choice that its claim does not name': {
    breaks: changing((create) => ({ ...create, choice: { ...create.choice, size: vmSizeName('Standard_None') } })),
    want: ': its choice is not for sale [choice]',
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

describe('the name of a claim', () => {
  const named = (name: string) =>
    problemsOf({ breaks: changing((create) => ({ ...create, draft: { ...create.draft, name: nodeClaimName(name) } })) }, 'name')

  it.each(['a', 'a-b', '0', `a${'-0'.repeat(27)}0`])('may be %s', (name) => expect(named(name)).toEqual([]))
  it.each(['', 'A', '-a', 'a-', 'a.b', 'a_b', 'x'.repeat(57)])('may not be %j', (name) => expect(named(name)).toHaveLength(1))

  it('is taken by a claim or draft that is there', () => {
    const taken = nodeClaim({ name: 'taken', stage: 'created' })
    const { name, spec, meta } = taken
    const draft = { name, spec, labels: meta.labels, annotations: {}, nodePool: nodePool().name }
    const breaks = changing((create) => ({ ...create, draft: { ...create.draft, name } }))
    expect(problemsOf({ breaks, after: withObjects({ nodeClaim: [taken] }) }, 'name')).toHaveLength(1)
    expect(problemsOf({ breaks, after: (before) => ({ ...before, drafts: [draft] }) }, 'name')).toHaveLength(1)
    expect(problemsOf({ breaks }, 'name')).toEqual([])
  })
})

describe('a pod that is placed', () => {
  const OWN_NODE = { node: [node()], nodeClaim: [nodeClaim()] }
  const on = nodeNameOf('default-aaaaa')
  const first = (shape: PodShape = {}): Pod => pod({ name: 'p-0', ...shape })
  /** Plans with `made` as the first of the three pods. */
  const placing = (made: Pod, objects: NonNullable<SnapshotShape['objects']> = OWN_NODE): readonly string[] =>
    problemsOf({ after: withObjects({ ...objects, pod: [made, ...pods(3, { name: 'p' }).slice(1)] }) }, 'once')
  const claimWith = (shape: NodeClaimShape) => ({ ...OWN_NODE, nodeClaim: [nodeClaim(shape)] })

  it.each([
    { name: 'waits', made: first() },
    { name: 'waits with others of its owner, before the scheduler came to it', made: without('unschedulableSince', first()) },
    { name: 'is on a node whose claim is being deleted', made: first({ nodeName: on }), objects: claimWith({ meta: { deletedAt: NOW } }) },
    {
      name: 'is on a node whose machine ends',
      made: first({ nodeName: on }),
      objects: claimWith({ status: { conditions: [condition('Ready', { status: 'False' }), condition('InstanceTerminating')] } }),
    },
    {
      name: 'is on a node of nobody’s that is being deleted',
      made: first({ nodeName: 'own' }),
      objects: { node: [node({ name: 'own', meta: { deletedAt: NOW } })], nodeClaim: [nodeClaim({ stage: 'created' })] },
    },
  ])('needs a place: one that $name', ({ made, objects }) => expect(placing(made, objects)).toEqual([]))

  it.each([
    { name: 'runs on a node of ours', made: first({ nodeName: on }) },
    { name: 'runs on a node of nobody’s', made: first({ nodeName: 'own' }), objects: { node: [node({ name: 'own' })] } },
    { name: 'runs on a node nobody knows', made: first({ nodeName: 'gone' }) },
    {
      name: 'runs on a node whose machine does not end',
      made: first({ nodeName: on }),
      objects: claimWith({ status: { conditions: [condition('InstanceTerminating', { status: 'False' })] } }),
    },
    { name: 'has another place in sight', made: first({ nominatedNodeName: on }) },
    { name: 'is being deleted', made: first({ deletedAt: NOW }) },
    { name: 'is held back', made: first({ schedulingGates: ['later'] }) },
    { name: 'has ended', made: first({ phase: 'Failed' }) },
    { name: 'is of a DaemonSet', made: first({ owner: DAEMON_SET }) },
    { name: 'is of a node', made: first({ owner: NODE_OWNER }) },
    { name: 'the scheduler has not come to, alone of its owner', made: without('unschedulableSince', first({ owner: STATEFUL_SET })) },
    { name: 'the scheduler has not come to, and nobody owns', made: without('owner', without('unschedulableSince', first())) },
    { name: 'the scheduler has not come to, and is held back', made: without('unschedulableSince', first({ schedulingGates: ['later'] })) },
  ])('needs none: one that $name', ({ made, objects }) => expect(placing(made, objects)).toEqual(['pod default/p-0']))

  it('is listed once by its claim', () => {
    expect(
      problemsOf({ breaks: changing((create) => ({ ...create, pods: [...create.pods, ...create.pods.slice(0, 1)] })) }, 'once'),
    ).toContain('the plan')
  })
})

describe('a pod that is neither placed nor refused', () => {
  const silent = (objects: NonNullable<SnapshotShape['objects']>): readonly string[] =>
    problemsOf({ breaks: (decision) => ({ ...decision, actions: [] }), after: withObjects({ pod: [pod()], ...objects }) }, 'once')

  it.each([
    { name: 'waits', objects: {} },
    { name: 'has a node of ours', objects: { node: [node()], nodeClaim: [nodeClaim()] } },
    {
      name: 'has a node that it does not select',
      objects: { node: [node({ name: 'own' })], pod: [pod({ nodeSelector: { [LABEL.zone]: 'far' } })] },
    },
    {
      name: 'has a node that it does not tolerate',
      objects: { node: [node({ name: 'own', taints: [{ key: 'a', effect: 'NoSchedule' as const }] })] },
    },
    { name: 'has a node that reports nothing', objects: { node: [node({ name: 'own', allocatable: {} })] } },
  ])('is forgotten where it $name', ({ objects }) => expect(silent(objects)).toEqual(['pod default/pod']))

  it.each([
    { name: 'a node of nobody’s takes it', objects: { node: [node({ name: 'own' })] } },
    { name: 'one of two nodes takes it', objects: { nodeClaim: [nodeClaim()], node: [node(), node({ name: 'own' })] } },
    {
      name: 'a node takes it by its name',
      objects: {
        node: [node({ name: 'own', meta: { labels: { [LABEL.hostname]: 'own' } } })],
        pod: [pod({ nodeSelector: { [LABEL.hostname]: 'own' } })],
      },
    },
    { name: 'the scheduler has not come to it', objects: { pod: [without('unschedulableSince', pod())] } },
    { name: 'it runs', objects: { pod: [pod({ nodeName: 'own' })] } },
  ])('is fine where $name', ({ objects }) => expect(silent(objects)).toEqual([]))
})

/** The subjects of violations of one rule, after the plan for three pods or its cluster was changed. */
function problemsOf({ after = (same) => same, breaks = (same) => same }: Pick<Case, 'after' | 'breaks'>, about: Rule): readonly string[] {
  const before = snapshot({ objects: PLAIN })
  return violationsOf(after(before), breaks(decideProvisioning(before))).flatMap(({ rule, subject, message }) =>
    rule === about && message !== '' ? [subject] : [],
  )
}

function without(field: 'unschedulableSince' | 'owner', made: Pod): Pod {
  const { [field]: _, ...rest } = made
  return rest
}

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
