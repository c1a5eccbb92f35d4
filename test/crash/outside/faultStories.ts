import { isCostPlanned } from '../../../shared/engine/pod/eviction.ts'
import { schedulingInputs } from '../../../shared/engine/scheduling/model/pods/podsToPlace.ts'
import { explain } from '../../../shared/flows/answer/explain.ts'
import { readStatus } from '../../../shared/flows/answer/readStatus.ts'
import { commitReboot } from '../../../shared/flows/apply/commitReboot.ts'
import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import { interrupt } from '../../../shared/flows/lifecycle/interrupt.ts'
import { createClusterReader } from '../../../shared/flows/state/catchUp.ts'
import { findCondition, isTrue } from '../../../shared/model/condition.ts'
import { type NodeClaimName, nodeClaimName, nodeName, objectKey } from '../../../shared/model/ids.ts'
import { PLANNED_DELETION_COST, POD_ANNOTATION } from '../../../shared/model/labels.ts'
import { type Pod, refOf } from '../../../shared/model/pod.ts'
import { Fault, problem } from '../../../shared/model/problem.ts'
import { REBOOTING } from '../../../shared/model/reboot.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../shared/model/units.ts'
import { capacityBuffer, podTemplate } from '../../builders/capacityBuffer.ts'
import { condition } from '../../builders/condition.ts'
import { instanceType } from '../../builders/instanceType.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'
import { nodeClass } from '../../builders/nodeClass.ts'
import { nodeOverlay } from '../../builders/nodeOverlay.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { pod } from '../../builders/pod.ts'
import { settings } from '../../builders/snapshot.ts'
import { createSimulation, type Simulation } from '../simulation.ts'
import { createVolumes } from '../volumes.ts'
import { OTHER_SUBNET } from './realPorts.ts'

const REPLICAS = 3
const PATIENCE_MS = 180_000
/** The delay after which Event Grid delivers again. */
const CALL_AGAIN_MS = 10_000
/** A time in the past. */
const START = epochMs(1_700_000_000_000)
const NEVER = new AbortController().signal

/** One task that the system does for a user, in parts that can be counted. */
export type FaultStory = {
  readonly name: string
  /** Makes the state at the beginning of the story, without faults. */
  readonly before: (stage: StageOfStory) => Promise<void>
  readonly begin: (stage: StageOfStory) => void
  /** The number of parts that are done now. */
  readonly done: (stage: StageOfStory) => number
  readonly of: number
  /** The number of parts that one object with a fault may hold up. */
  readonly ofOne: number
}

/** The system with its users. */
export type StageOfStory = {
  readonly simulation: Simulation
  /** The number of pods that the workload wants. */
  replicas: number
  /** The claim that the story is about. */
  victim: NodeClaimName
  /** A call from outside that is repeated until it succeeds. */
  pending: (() => Promise<boolean>) | undefined
  /** The number of questions that got an answer. */
  answered: number
}

/** `over` wraps the ports of the flows. */
export function createStage(over: (deps: ClusterDeps) => ClusterDeps): StageOfStory {
  let calledAt = 0
  let looks = 0
  const volumes = createVolumes()
  const simulation = createSimulation({
    between: (deps) => ({
      ...over(deps),
      limits: { launchLock: durationMs(20_000), gcGrace: durationMs(15_000), gcDrain: durationMs(60_000) },
    }),
    settings: settings({ podDeletionCosts: true }),
    // At the first run no size fits the class, so a flow must report why.
    instanceTypes: () => (looks++ === 0 ? [] : [instanceType()]),
    gcEveryMs: 10_000,
    workload: () => {
      keepReplicas(stage)
      volumes.tick(simulation)
    },
    caller: async () => {
      if (stage.pending === undefined || simulation.clock.now() < calledAt + CALL_AGAIN_MS) return
      calledAt = simulation.clock.now()
      if (await stage.pending()) stage.pending = undefined
    },
  })
  const stage: StageOfStory = { simulation, replicas: 0, victim: nodeClaimName('none'), pending: undefined, answered: 0 }
  const { objects, catalog, clock } = simulation.world
  catalog.quota = { readAt: clock.now(), usages: { cores: { limit: 100, used: 0 }, lowprioritycores: { limit: 100, used: 0 } } }
  // The flows still have to write the conditions and the finalizer of the class.
  const bare = { meta: { finalizers: [] }, status: { conditions: [], images: [] } }
  objects.put('nodeClass', nodeClass({ spec: { vnetSubnetId: OTHER_SUBNET }, ...bare }))
  const template = { terminationGracePeriod: durationMs(20_000) }
  objects.put('nodePool', nodePool({ template, meta: { annotations: {} }, disruption: { budgets: [{ nodes: '100%' }] } }))
  objects.put('nodeOverlay', nodeOverlay({ priceAdjustment: '-10%' }))
  objects.put('podTemplate', podTemplate('spare'))
  objects.put('capacityBuffer', capacityBuffer({ podTemplate: 'spare', replicas: 0 }))
  return stage
}

/** Replaces deleted pods and removes surplus pods, as a ReplicaSet does. Each pod needs a machine of its own. */
function keepReplicas({ simulation, replicas }: StageOfStory): void {
  const { objects, clock } = simulation.world
  const present = objects.all('pod').filter((each) => each.deletedAt === undefined && each.labels['app'] === 'web')
  for (const one of present.slice(replicas)) objects.remove('pod', one.key)
  const now = clock.now()
  for (let missing = replicas - present.length; missing > 0; missing--) {
    const own = objects.newUid()
    const labels = { app: 'web' }
    objects.put(
      'pod',
      pod({ name: `web-${own}`, uid: own, labels, cpus: 3, terminationGracePeriodSeconds: 5, createdAt: now, unschedulableSince: now }),
    )
  }
}

/** Waits until all pods run and nothing is in progress. */
async function inPeace(stage: StageOfStory): Promise<void> {
  stage.replicas = REPLICAS
  const { simulation } = stage
  const took = await simulation.runUntil(() => runningPods(stage) === REPLICAS && areSettled(stage), PATIENCE_MS)
  if (took === undefined) throw new Error('the story cannot begin: its pods do not run')
  // A quiet time, after which the objects no longer count as new.
  const end = simulation.clock.now() + 30_000
  await simulation.runUntil(() => simulation.clock.now() >= end, PATIENCE_MS)
  stage.victim = simulation.world.objects.all('nodeClaim')[0]?.name ?? stage.victim
}

function runningPods({ simulation: { world }, victim }: StageOfStory): number {
  return world.objects.all('pod').filter((each) => each.phase === 'Running' && each.nodeName !== nodeNameOf(victim)).length
}

function areSettled({ simulation: { world } }: StageOfStory): boolean {
  return world.objects
    .all('nodeClaim')
    .every((claim) => claim.status.conditions.some((each) => each.type === 'Ready' && each.status === 'True'))
}

function isGone({ simulation: { world } }: StageOfStory, claim: NodeClaimName): boolean {
  const name = nodeNameOf(claim)
  return (
    world.machines.find(name) === undefined && !world.machines.interfaces.has(name) && world.objects.get('nodeClaim', claim) === undefined
  )
}

/** A refused question counts as a failed call. */
function failed(what: string): never {
  throw new Fault(what, problem('STORE.UNAVAILABLE', 'the question was refused'))
}

export const FAULT_STORIES: readonly FaultStory[] = [
  {
    name: 'scale up',
    before: async ({ simulation: { world } }) => {
      // An earlier refusal whose block is over, so that the machines that join end its row.
      const now = world.clock.now()
      const refusal = { scope: { kind: 'offering', size: instanceType().name }, code: 'AZURE.ALLOCATION.REGION', message: 'full' } as const
      await world.ports.offerings.mark([{ ...refusal, until: now }], now, NEVER)
    },
    begin: (stage) => {
      // The first launch is refused, so that an offering is marked as unavailable.
      stage.simulation.world.machines.refuse({}, { times: 1 })
      stage.replicas = REPLICAS
    },
    done: (stage) => runningPods(stage) + (areSettled(stage) ? 1 : 0),
    of: REPLICAS + 1,
    ofOne: 2,
  },
  {
    name: 'questions',
    before: inPeace,
    begin: (stage) => {
      const asked: ((deps: ClusterDeps) => Promise<unknown>)[] = [
        (deps) => readStatus(deps, NEVER),
        async (deps) =>
          (await explain(deps, createClusterReader(deps.log), { kind: 'nodeClaim', name: stage.victim }, NEVER)).ok || failed('explain'),
        (deps) => deps.catalog.refresh(NEVER),
      ]
      stage.answered = 0
      stage.pending = async () => {
        const answers = []
        for (const ask of asked) answers.push(await stage.simulation.perform(ask))
        stage.answered = answers.filter((isAnswered) => isAnswered).length
        return stage.answered === asked.length
      }
    },
    done: ({ answered }) => answered,
    of: 3,
    ofOne: 1,
  },
  {
    name: 'a hole in the log',
    before: inPeace,
    begin: (stage) => {
      const { log } = stage.simulation.world.ports
      const at = stage.simulation.clock.now()
      // The log has only this change of a new term. The shim must send the earlier state again.
      const hole = { seq: 5, at, op: 'delete', kind: 'pod', key: 'default/none' } as const
      void log.append({ term: 2, receivedAt: at, body: { kind: 'changes', changes: [hole] } }, NEVER)
      stage.answered = 0
      stage.pending = async () => {
        stage.answered = (await log.snapshotRequest(NEVER)) === undefined ? 0 : 1
        return stage.answered === 1
      }
    },
    done: ({ answered }) => answered,
    of: 1,
    ofOne: 1,
  },
  {
    name: 'deletion costs that an earlier plan left',
    before: inPeace,
    begin: ({ simulation: { world } }) => {
      for (const each of world.objects.all('pod'))
        world.objects.put('pod', { ...each, annotations: { [POD_ANNOTATION.deletionCost]: PLANNED_DELETION_COST } })
    },
    done: ({ simulation: { world } }) => world.objects.all('pod').filter((each) => !isCostPlanned(each)).length,
    of: REPLICAS,
    ofOne: 1,
  },
  {
    name: 'new tags of the class',
    before: inPeace,
    begin: ({ simulation: { world } }) => {
      const [before] = world.objects.all('nodeClass')
      if (before !== undefined) world.objects.put('nodeClass', { ...before, spec: { ...before.spec, tags: { team: 'blue' } } })
    },
    done: ({ simulation: { world } }) =>
      world.machines.all().filter(({ instance }) => world.machines.tags.get(`vm/${instance.name}`)?.['team'] === 'blue').length,
    of: REPLICAS,
    ofOne: 1,
  },
  {
    name: 'scale down',
    before: async (stage) => {
      await inPeace(stage)
      // The log is so long that the next run saves a checkpoint.
      const { log } = stage.simulation.world.ports
      for (let record = 0; record < 2_000; record++)
        await log.append({ term: 1, receivedAt: START, body: { kind: 'changes', changes: [] } }, NEVER)
    },
    begin: (stage) => {
      stage.replicas = 0
    },
    done: ({ simulation: { world } }) => {
      const claims = world.objects.all('nodeClaim').map(({ name }) => nodeNameOf(name))
      return REPLICAS - new Set([...world.machines.interfaces.keys(), ...claims]).size
    },
    of: REPLICAS,
    ofOne: 1,
  },
  {
    name: 'interruption',
    before: inPeace,
    begin: (stage) => {
      const { simulation, victim } = stage
      const notice = { claim: victim, saidBy: 'node', when: 'announced', eventId: 'e1', reason: 'Preempt' } as const
      stage.pending = () => simulation.perform((deps) => interrupt(deps, notice, NEVER))
    },
    done: (stage) => runningPods(stage) + (isGone(stage, stage.victim) ? 1 : 0),
    of: REPLICAS + 1,
    ofOne: 2,
  },
  {
    name: 'deletion by hand, with a budget in the way',
    before: inPeace,
    begin: (stage) => {
      const { objects } = stage.simulation.world
      const budget = { key: objectKey('default', 'web'), uid: objects.newUid(), disruptionsAllowed: 0 }
      const selector = { matchLabels: { app: 'web' }, matchExpressions: [] }
      objects.put('podDisruptionBudget', { ...budget, selector, unhealthyPodEvictionPolicy: 'IfHealthyBudget', conditions: [] })
      objects.delete('nodeClaim', stage.victim)
    },
    done: (stage) => runningPods(stage) + (isGone(stage, stage.victim) ? 1 : 0),
    of: REPLICAS + 1,
    ofOne: 2,
  },
  {
    name: 'reboot',
    before: inPeace,
    begin: (stage) => {
      const { simulation, victim } = stage
      const uid = simulation.world.objects.get('nodeClaim', victim)?.meta.uid
      const cause = { condition: 'Ready=False', because: 'Ready/Stuck', terminationGracePeriod: durationMs(5_000) }
      if (uid === undefined) throw new Error('the story cannot begin: there is no claim')
      // The next decision would commit again if the first one is cut off.
      stage.pending = async () => {
        await simulation.perform((deps) => commitReboot(deps, { kind: 'rebootClaim', claim: victim, uid, pods: 1, ...cause }, NEVER))
        return findCondition(simulation.world.objects.get('nodeClaim', victim)?.status.conditions ?? [], REBOOTING) !== undefined
      }
    },
    done: (stage) => runningPods({ ...stage, victim: nodeClaimName('none') }) + (isRebootOver(stage) ? 1 : 0),
    of: REPLICAS + 1,
    ofOne: 2,
  },
  {
    name: 'garbage',
    before: inPeace,
    begin: ({ simulation: { world }, victim }) => {
      const [machine] = world.machines.all()
      for (const name of ['lost-1', 'lost-2']) {
        const claim = nodeClaimName(name)
        const nic = { name: nodeNameOf(claim), claim, createdAt: START }
        const alone = nodeClaimName(`alone-${name}`)
        world.machines.interfaces.set(nic.name, nic)
        world.machines.interfaces.set(nodeNameOf(alone), { name: nodeNameOf(alone), claim: alone, createdAt: START })
        if (machine === undefined) continue
        const instance = { ...machine.instance, name: nic.name, claim, createdAt: START }
        world.machines.add({ ...machine, instance, claim: { ...machine.claim, name: claim } })
      }
      world.machines.lose(victim)
      const node = world.objects.get('node', nodeNameOf(victim))
      if (node !== undefined) world.objects.put('node', { ...node, conditions: [condition('Ready', { status: 'Unknown' })] })
    },
    done: (stage) =>
      ['lost-1', 'lost-2', 'alone-lost-1', 'alone-lost-2'].filter((name) => isGone(stage, nodeClaimName(name))).length +
      (isGone(stage, stage.victim) ? 1 : 0),
    of: 5,
    ofOne: 1,
  },
  {
    name: 'a pod that kube-scheduler refuses',
    before: async (stage) => {
      const { world, clock, runUntil } = stage.simulation
      await inPeace(stage)
      const now = clock.now()
      world.objects.put('pod', pod({ name: 'odd', cpus: 1_000, createdAt: now, unschedulableSince: now }))
      await runUntil(() => clock.now() >= now + 5_000, PATIENCE_MS)
    },
    begin: ({ simulation: { world, clock } }) => {
      const odd = world.objects.get('pod', ODD)
      if (odd !== undefined) void refuse(world.ports, odd, clock.now())
    },
    done: ({ simulation: { world } }) => (world.objects.events.some(({ event }) => event.message.includes('REFUSED_BY_SCHEDULER')) ? 1 : 0),
    of: 1,
    ofOne: 1,
  },
]

/** Reports whether the reboot has ended in one way or the other. */
function isRebootOver({ simulation: { world }, victim }: StageOfStory): boolean {
  const claim = world.objects.get('nodeClaim', victim)
  return (
    claim === undefined ||
    (findCondition(claim.status.conditions, REBOOTING)?.status === 'False' && isTrue(claim.status.conditions, 'Ready'))
  )
}

const ODD = objectKey('default', 'odd')

/** Notes in the ledger that the scheduler refuses the pod. Its text is not read yet. */
async function refuse({ ledger }: Pick<ClusterDeps, 'ledger'>, odd: Pod, now: EpochMs): Promise<void> {
  const loaded = await ledger.load(NEVER)
  if (!loaded.ok || loaded.value === undefined) throw new Error('the story cannot begin: there is no ledger')
  const { rest: _, ...before } = loaded.value.value
  const inputs = schedulingInputs({ persistentVolumeClaim: [], persistentVolume: [], storageClass: [] }).hashOf(odd)
  const refused = { node: nodeName('joiner-a'), times: 1, until: later(now, durationMs(3_600_000)) }
  await ledger.save({ ...before, schedulerRefusals: [{ pod: refOf(odd), inputs, refused }] }, loaded.value.etag, NEVER)
}
