import { decide, loadCluster } from '../../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Action, Decision } from '../../../shared/model/decision.ts'
import { epochMs } from '../../../shared/model/units.ts'
import { withStarts } from '../../../shared/wire/objects/schedule.ts'
import { NOW } from '../../builders/clock.ts'
import { condition } from '../../builders/condition.ts'
import { worldOf } from '../givenWorld.ts'
import { words } from '../notation.ts'
import { shuffled } from '../shuffle.ts'
import { refuseUnknownMoveWords } from './knownMoveWords.ts'
import { marksIn, withMaking } from './madeFrom.ts'
import type { MoveScenario, MoveWant } from './moveScenario.ts'

/**
 * The differences between the decision and the wanted result. A different order of input must give the same decision, and so must a cluster that has
 * decided before: a decision leaves nothing behind.
 */
export function problemsOfMoves(scenario: MoveScenario): readonly string[] {
  refuseUnknownMoveWords(scenario)
  const { given, want } = scenario
  const snapshot = moveSnapshotOf(given)
  const decision = decide(snapshot)
  const isSame = isSameAs(decision, decide(shuffled(snapshot, 7)))
  const loaded = loadCluster(snapshot.objects)
  const [, again] = [loaded.decide(snapshot), loaded.decide({ ...snapshot })]
  return [
    ...problemsIn(decision, want),
    ...(isSame ? [] : ['another order of input gives another decision']),
    ...(isSameAs(decision, again) ? [] : ['the cluster decides otherwise when it decides again']),
  ]
}

function isSameAs(first: Decision, second: Decision): boolean {
  return JSON.stringify(first) === JSON.stringify(second)
}

/** The snapshot of the described world. */
export function moveSnapshotOf({
  policies = {},
  drifted,
  kept = {},
  deletionCosts = {},
  graced,
  asks = {},
  newNodes,
  madeFrom,
  ...given
}: MoveScenario['given']): ClusterSnapshot {
  const { snapshot } = worldOf(given)
  const { objects } = snapshot
  const [drifting, gracing] = [words(drifted), words(graced)]
  const nodePool = objects.nodePool.map((pool) => {
    const { budgets = [{ nodes: '100%' }], ...policy } = policies[pool.name] ?? {}
    const meta = { ...pool.meta, annotations: { ...pool.meta.annotations, ...asks[pool.name] } }
    return { ...pool, meta, disruption: { ...pool.disruption, ...policy, budgets: budgets.map(withStarts) } }
  })
  const node = objects.node.map((each) =>
    withAnnotations(each, 'karpenter.sh/do-not-disrupt', kept[each.name] ?? kept[each.name.replace('joiner-', '')]),
  )
  const pod = objects.pod.map((each) => {
    const name = each.key.split('/')[1] ?? ''
    const annotations = {
      ...each.annotations,
      ...(kept[name] === undefined ? {} : { 'karpenter.sh/do-not-disrupt': kept[name] }),
      ...(deletionCosts[name] === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': deletionCosts[name] }),
    }
    return { ...each, annotations }
  })
  const nodeClaim = objects.nodeClaim.map((claim) => {
    const at = drifting.indexOf(claim.name)
    const spec = gracing.includes(claim.name) ? { ...claim.spec, terminationGracePeriod: 300_000 as never } : claim.spec
    if (at < 0) return { ...claim, spec }
    const marked = condition('Drifted', { lastTransitionAt: epochMs(NOW - 3_600_000 + at * 60_000) })
    return { ...claim, spec, status: { ...claim.status, conditions: [...claim.status.conditions, marked] } }
  })
  return withMaking({ ...snapshot, objects: { ...objects, nodePool, node, pod, nodeClaim } }, { newNodes, madeFrom })
}

function withAnnotations<Each extends { readonly meta: { readonly annotations: { readonly [key: string]: string } } }>(
  each: Each,
  key: string,
  value: string | undefined,
): Each {
  return value === undefined ? each : { ...each, meta: { ...each.meta, annotations: { ...each.meta.annotations, [key]: value } } }
}

type Starting = Extract<Action, { readonly kind: 'startCommand' }>

function problemsIn({ actions, reasons }: Decision, want: MoveWant): readonly string[] {
  const problems: string[] = []
  const expectSame = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      problems.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
  }
  const deleted = actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action] : []))
  const started = actions.flatMap((action) => (action.kind === 'startCommand' ? [action] : []))
  for (const [reason, names] of Object.entries(want.goes ?? {})) {
    const own = deleted.filter(({ because }) => because === reason).map(({ claim }) => claim)
    expectSame(`goes for ${reason}`, own.sort(), [...words(names)].sort())
  }
  if (want.deleting !== undefined) expectSame('deleting', deleted.length, want.deleting)
  if (want.replacing !== undefined) expectSame('replacing', started.length, want.replacing)
  for (const [names, types] of Object.entries(want.replaced ?? {})) problems.push(...problemsOfReplacement(actions, started, names, types))
  for (const [name, code] of Object.entries(want.stays ?? {})) {
    const reason = reasons.find(({ subject }) => subject.name === name)
    expectSame(`${name} stays for`, reason?.code ?? 'silent', code)
    const isMoved = deleted.some(({ claim }) => claim === name) || started.some((each) => candidatesOf(each).includes(name))
    if (isMoved) problems.push(`${name} goes`)
  }
  const { says, saves } = want
  const marks = marksIn(actions)
  for (const [name, reason] of Object.entries(want.marked ?? {})) expectSame(`${name} is marked`, marks.get(name)?.reason ?? 'none', reason)
  const told = [...reasons, ...marks.values()].map(({ message }) => message)
  if (says !== undefined && !told.some((message) => message.includes(says))) problems.push(`nothing says "${says}": ${told.join('; ')}`)
  if (saves !== undefined)
    expectSame(
      'saves',
      started.map(({ command }) => (command.saving ?? 0) / 1_000_000),
      [saves],
    )
  return problems
}

function problemsOfReplacement(actions: readonly Action[], started: readonly Starting[], names: string, types: string): readonly string[] {
  const nodes = [...words(names)].sort().join()
  const own = started.find((each) => [...candidatesOf(each)].sort().join() === nodes)
  if (own === undefined)
    return [`${names} is not replaced; replaced: ${started.map((each) => candidatesOf(each).join()).join(' | ') || 'nothing'}`]
  const created = actions.flatMap((action) => (action.kind === 'createClaim' && action.command === own.command.id ? [action] : []))
  if (created.length !== own.command.replacements.length)
    return [`${names}: ${created.length} claims of ${own.command.replacements.length}`]
  const got = created.flatMap(
    ({ draft }) => draft.spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')?.values ?? [],
  )
  return types === '*' || [...got].sort().join() === [...words(types)].sort().join()
    ? []
    : [`${names} by ${got.join()} instead of ${types}`]
}

function candidatesOf({ command }: Starting): readonly string[] {
  return command.candidates.map(({ claim }) => claim)
}
