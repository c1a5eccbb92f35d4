/** The reboot of a node with a pod, among other nodes with pods. */
import { joinNodes } from '../../shared/adapters/memory/joinNodes.ts'
import { commitReboot } from '../../shared/flows/apply/commitReboot.ts'
import { findCondition, isTrue } from '../../shared/model/condition.ts'
import type { RebootClaim } from '../../shared/model/decision.ts'
import { type NodeClaimName, nodeClaimName } from '../../shared/model/ids.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { isFenced } from '../../shared/model/reboot.ts'
import { durationMs } from '../../shared/model/units.ts'
import { nodeNameOf } from '../builders/nodeClaim.ts'
import { REPLICA_SET } from '../builders/pod.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { keepReplicas, scaleUp } from './stories.ts'

const NEVER = new AbortController().signal
const PODS = 3
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
const LIMIT_MS = 10 * MINUTE

export type RebootStory = {
  readonly simulation: Simulation
  readonly victim: NodeClaimName
  /** Lets a living host commit to the reboot of the victim's node, as a decision does. */
  readonly commit: (bound?: number) => Promise<boolean>
  readonly claim: () => NodeClaim | undefined
  readonly boots: () => number
  readonly until: (holds: () => boolean, limitMs?: number) => Promise<number | undefined>
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<unknown>
}

/** Three nodes with a pod each. `prepare` runs before the first pod comes. */
export async function beginReboot(
  options: SimulationOptions = {},
  prepare: (simulation: Simulation) => void = () => undefined,
): Promise<RebootStory> {
  const simulation: Simulation = createSimulation({ workload: () => keepReplicas(simulation, PODS), podExitMs: 2 * SECOND, ...options })
  prepare(simulation)
  const { world, clock, runUntil } = simulation
  if ((await scaleUp(simulation, PODS, { cpus: 3, owner: REPLICA_SET })) === undefined) throw new Error('the pods do not run')
  // What follows the start of the pods is over by then.
  await runUntil(() => false, 30 * SECOND)
  const victim = world.objects.all('nodeClaim')[0]?.name ?? nodeClaimName('none')
  const claim = (): NodeClaim | undefined => world.objects.get('nodeClaim', victim)
  const action = (bound?: number): RebootClaim => ({
    ...{ kind: 'rebootClaim', claim: victim, uid: claim()?.meta.uid ?? world.objects.newUid(), pods: 1 },
    ...{ condition: 'Ready=False', because: 'Ready/KubeletStuck' },
    ...(bound === undefined ? {} : { terminationGracePeriod: durationMs(bound) }),
  })
  return {
    simulation,
    victim,
    claim,
    commit: (bound) => simulation.perform((deps) => commitReboot(deps, action(bound), NEVER)),
    boots: () => world.machines.find(nodeNameOf(victim))?.restarted?.boot ?? 1,
    until: (holds, limitMs = LIMIT_MS) => runUntil(holds, limitMs),
    pass: (ms) => {
      const end = clock.now() + ms
      return runUntil(() => clock.now() >= end, ms)
    },
  }
}

/** Reports whether the node came back: its reboot succeeded, its claim is initialized again, and all pods run. */
export function isBack({ claim, simulation: { world } }: RebootStory): boolean {
  const conditions = claim()?.status.conditions ?? []
  const pods = world.objects.all('pod')
  return (
    findCondition(conditions, 'Rebooting')?.reason === 'RebootSucceeded' &&
    isTrue(conditions, 'Ready') &&
    pods.length === PODS &&
    pods.every(({ phase }) => phase === 'Running') &&
    !world.objects.all('node').some(isFenced)
  )
}

/** What a reboot in place leaves as it was: the machines, the claims and the uid of the node. */
export function left({ victim, simulation: { world } }: RebootStory): unknown {
  joinNodes(world)
  return {
    claims: world.objects.all('nodeClaim').map(({ meta }) => meta.uid),
    node: world.objects.get('node', nodeNameOf(victim))?.meta.uid,
    machines: world.machines.all().map(({ instance }) => instance.name),
  }
}
