/**
 * A provisioner that places each pod where it fits first, in Karpenter's order. Better plans are compared with its plan.
 * The code is written for clarity, not for speed.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL, UNDEFINED_ALLOWED_LABELS } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { amountOf } from '../../shared/model/resources.ts'
import { microUsdPerHour } from '../../shared/model/units.ts'
import { admit } from './admission.ts'
import { algebraOf } from './algebra.ts'
import { claimAnswer } from './claimAnswer.ts'
import { daemonPods } from './daemons.ts'
import { type ExistingTarget, targetOfMachine, targetOfPlan } from './existingTarget.ts'
import { remainingLimits } from './limits.ts'
import { machinesOf } from './machines.ts'
import type { OracleAnswer, OracleOptions } from './oracleAnswer.ts'
import type { Pass } from './pass.ts'
import { createPlacement } from './placement.ts'
import { podNeeds } from './podNeeds.ts'
import { runQueue } from './queue.ts'
import { createReservations } from './reservations.ts'
import { poolsInScope, templateOf } from './templates.ts'
import { createTopology } from './topology.ts'
import { universeOf } from './topologyUniverse.ts'
import { volumesOf } from './volumes.ts'

export function firstFitOracle(given: ClusterSnapshot, options: OracleOptions = {}): OracleAnswer {
  const { quirks = 'fixed', wellKnown = UNDEFINED_ALLOWED_LABELS } = options
  const snapshot = withDefaultSpread(given, options)
  const algebra = algebraOf(quirks)
  const machines = machinesOf(snapshot, quirks)
  const { batch, ignored } = admit(snapshot, machines, algebra, quirks)
  const staying = machines.filter((machine) => !machine.isDeleting)
  const pools = poolsInScope(snapshot)
  const policy = snapshot.settings.preferencePolicy
  const universe = universeOf({ pools, snapshot, algebra, wellKnown }, quirks)
  const context = { namespaces: snapshot.objects.namespace, policy, algebra, quirks }
  const topology = createTopology({ ...context, snapshot, universe, machines: staying, batch, wellKnown })
  const daemons = daemonPods(snapshot)
  const templates = pools.flatMap((pool) => templateOf(pool, snapshot, daemons, algebra, wellKnown, quirks) ?? [])
  const reservations = createReservations(
    templates.flatMap((template) => template.types),
    algebra,
    wellKnown,
  )
  const pass: Pass = { snapshot, algebra, quirks, wellKnown, topology, reservations }

  const needsOf = (pod: Pod, original: Pod) =>
    podNeeds(pod, volumesOf(pod, snapshot.objects, algebra), algebra, policy === 'Respect', original)
  const queue = [...batch].sort(byQueueOrder)
  for (const pod of queue) topology.own(pod)
  const targets = existingTargets(pass, staying, daemons)
  const placement = createPlacement({
    pass,
    targets,
    templates,
    remaining: remainingLimits(pools, staying, pass),
    needsOf,
    prefersClaim: options.prefersClaim,
    mayBearSoftTaints: pools.some((pool) => pool.template.taints.some((taint) => taint.effect === 'PreferNoSchedule')),
  })
  const failed = runQueue(queue, placement.place)

  const claims = placement.claims().flatMap((claim) => claimAnswer(claim, pass))
  const dropped = claims.flatMap((claim) => ('problem' in claim ? [claim] : []))
  const kept = claims.flatMap((claim) => ('problem' in claim ? [] : [claim]))
  const price = kept.reduce((sum, claim) => sum + (claim.cheapest?.price ?? 0), 0)
  return {
    unplaced: new Map([...ignored, ...failed, ...dropped.flatMap(({ pods, problem }) => pods.map((key) => [key, problem] as const))]),
    targets: new Map(targets.filter(({ pods }) => pods.length > 0).map(({ name, pods }) => [name, pods])),
    claims: kept,
    price: microUsdPerHour(price),
  }
}

/** Sorts by CPU, then memory, both the largest first, then by age, the oldest first, then by uid. */
function byQueueOrder(first: Pod, second: Pod): number {
  const cpu = amountOf(second.requests, 'cpu') - amountOf(first.requests, 'cpu')
  const memory = amountOf(second.requests, 'memory') - amountOf(first.requests, 'memory')
  return cpu || memory || first.createdAt - second.createdAt || (first.uid < second.uid ? -1 : 1)
}

/** Initialized machines, then other machines, each by name. Then claims without a machine, which Karpenter waits for. */
function existingTargets(pass: Pass, staying: ReturnType<typeof machinesOf>, daemons: readonly Pod[]): readonly ExistingTarget[] {
  const { objects, drafts } = pass.snapshot
  const machines = [...staying].sort(
    (first, second) => Number(second.isInitialized) - Number(first.isInitialized) || (first.name < second.name ? -1 : 1),
  )
  const waiting = objects.nodeClaim
    .filter((claim) => claim.status.providerId === undefined && claim.meta.deletedAt === undefined)
    .map(({ name, spec, meta }) => ({ name, spec, labels: meta.labels }))
  const shown = new Set(objects.nodeClaim.map(({ name }) => name))
  const plans = [...waiting, ...drafts.filter(({ name }) => !shown.has(name))].sort((first, second) => (first.name < second.name ? -1 : 1))
  const targets = [
    ...machines.map((machine) => targetOfMachine(machine, daemons, pass)),
    ...plans.flatMap((plan) => targetOfPlan(plan, daemons, pass) ?? []),
  ]
  for (const { requirements } of targets)
    for (const host of requirements.get(LABEL.hostname)?.values ?? []) pass.topology.registerHost(host)
  return targets
}

function withDefaultSpread(snapshot: ClusterSnapshot, { defaultSpread }: OracleOptions): ClusterSnapshot {
  if (defaultSpread === undefined) return snapshot
  const pod = snapshot.objects.pod.map((each) =>
    each.nodeName === undefined && each.topologySpread.length === 0 ? { ...each, topologySpread: defaultSpread(each) } : each,
  )
  return { ...snapshot, objects: { ...snapshot.objects, pod } }
}
