/** Weighs moves of a small cluster by what the decisions after them add up to in the end. */
import { defined } from '../../../base/values.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { type Action, type CreateClaim, claimsMovedBy, type Decision } from '../../../model/decision.ts'
import { instanceNameOf, type NodeName, nodeName, providerId, uid } from '../../../model/ids.ts'
import { allocatableOfType } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { epochMs } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { planLaunch } from '../../launch/planLaunch.ts'
import { actionsOf, type Move } from '../moves/move.ts'

/** The largest cluster with look-ahead. Each simulated decision loads the cluster anew, which takes far too much work for a larger cluster. */
const MOST_NODES = 32
const MOST_PODS = 1_000

/** The most pods of the clusters of all outlooks of a decision together. */
const MOST_PODS_IN_ALL = 4_000
/** The most outlooks of a decision in a very small cluster. Of the random clusters that end cheaper by single moves, none needs more. */
const MOST_OUTLOOKS = 8

export type Outlook = {
  /** What the moves come to in the end. */
  readonly ask: (moves: readonly Move[]) => Prospect
  /** How often the outlook may be asked for. More is too much work. */
  readonly most: number
}

/** `ending`: claims that end in the same decision. */
type Simulating = { readonly simulateDecision?: DecisionSimulator; readonly ending: ReadonlySet<string> }

/** Undefined if the cluster is too large, or if the end of something under way is unknown. `begun`: what the decision does in any case. */
export function lookAhead(snapshot: FleetSnapshot, { simulateDecision, ending }: Simulating, begun: readonly Move[]): Outlook | undefined {
  if (simulateDecision === undefined || snapshot.commands.length > 0 || ending.size > 0) return undefined
  const machines = fewOf(snapshot)
  if (machines === undefined) return undefined
  const { fleet: _, objects, ...context } = snapshot
  const loaded = {
    ...objects,
    node: machines.flatMap(({ node }) => node ?? []),
    nodeClaim: machines.flatMap(({ claim }) => claim ?? []),
    pod: machines.flatMap(({ pods }) => pods),
  }
  return {
    ask: (moves) => simulateDecisions(loaded, actionsOf([...begun, ...moves], snapshot), context, simulateDecision),
    most: Math.min(MOST_OUTLOOKS, Math.floor(MOST_PODS_IN_ALL / Math.max(1, loaded.pod.length))),
  }
}

function fewOf({ fleet }: FleetSnapshot) {
  const machines = []
  let pods = 0
  for (const machine of fleet.all()) {
    machines.push(machine)
    pods += machine.pods.length
    if (machines.length > MOST_NODES || pods > MOST_PODS || machine.isDeleting || !machine.isInitialized) return undefined
  }
  return machines
}

/** The most decisions that are played. This is more than sixteen machines need that go one by one, each with a decision that places its pods. */
const MOST_DECISIONS = 48

type Objects = ClusterSnapshot['objects']
type Context = Omit<ClusterSnapshot, 'objects'>

/** Decides about a simulated cluster. `places`: the node of each pod that waited. */
export type DecisionSimulator = (objects: Objects, context: Context) => Answer
export type Answer = Pick<Decision, 'actions'> & { readonly turn: Decision['turn']; readonly places: ReadonlyMap<string, NodeName> }

/** What moves and the decisions after them come to. */
export type Prospect = {
  /** Micro-USD an hour that they add, less what they save. Infinite if the moves do not hold. */
  readonly added: number
  /** The number of pods that they move. A pod that is moved twice counts twice. */
  readonly moved: number
}

/**
 * Carries out decisions on paper, one after another, until nothing changes. Moves do not hold if their pods need a machine that they do not name, if
 * some pod is left without a place in the end, or if there is no end.
 */
export function simulateDecisions(objects: Objects, first: readonly Action[], context: Context, decide: DecisionSimulator): Prospect {
  const { disruptionCursor: _, provisioningCursor: __, disruptionResumesAt: ___, begunMoves: ____, ...others } = context
  const { moveRests: _____, extraNodes: ______, ...rest } = others
  let [state, added, moved] = [objects, 0, 0]
  let { actions, turn, places }: Answer = { actions: first, turn: undefined, places: new Map() }
  for (let count = 0; count < MOST_DECISIONS; count++) {
    added += addedBy(actions)
    moved += movedBy(actions)
    const next = simulatedObjects(state, { actions, places }, { ...rest, decision: context.decision + count })
    if (next === undefined) break
    state = next
    const after = defined({ ...rest, commands: [], decision: context.decision + count + 1, disruptionCursor: turn })
    ;({ actions, turn, places } = decide(state, after))
    if (count === 0 && actions.some(isUnnamed)) break
    if (turn === undefined && places.size === 0 && !actions.some(isChange))
      return state.pod.every(({ nodeName }) => nodeName !== undefined) ? { added, moved } : NEVER
  }
  return NEVER
}

const NEVER: Prospect = { added: Number.POSITIVE_INFINITY, moved: 0 }

function addedBy(actions: readonly Action[]): number {
  let added = 0
  for (const action of actions) {
    if (action.kind === 'createClaim') added += action.choice.price ?? 0
    if (action.kind === 'deleteClaim') added -= action.saves?.price ?? 0
    if (action.kind === 'startCommand') for (const { price = 0 } of action.command.candidates) added -= price
  }
  return added
}

function movedBy(actions: readonly Action[]): number {
  let moved = 0
  for (const action of actions) {
    if (action.kind === 'deleteClaim') moved += action.pods?.length ?? 0
    if (action.kind === 'startCommand') for (const { pods } of action.command.candidates) moved += pods.length
  }
  return moved
}

function isUnnamed(action: Action): boolean {
  return action.kind === 'createClaim' && action.command === undefined
}

function isChange(action: Action): boolean {
  return action.kind === 'createClaim' || claimsMovedBy(action).length > 0
}

type Machine = { readonly claim: NodeClaim; readonly node: Node }

/** The decision that is carried out. `places`: the node of each pod that waited, by the key of the pod. */
type Carried = { readonly actions: readonly Action[]; readonly places: ReadonlyMap<string, NodeName> }

/**
 * The cluster as it would be once a decision is carried out: new claims are machines, pods run in their planned places, and ended machines are gone.
 * Undefined if no offering is available for some new claim.
 */
function simulatedObjects(objects: Objects, { actions, places }: Carried, context: Context): Objects | undefined {
  const gone = new Set<string>(actions.flatMap(claimsMovedBy))
  const made: Machine[] = []
  const onMade = new Map<string, NodeName>()
  for (const action of actions) {
    if (action.kind !== 'createClaim') continue
    const machine = machineOf(action, context)
    if (machine === undefined) return undefined
    made.push(machine)
    for (const { key } of action.pods) onMade.set(key, machine.node.name)
  }
  const nodes = new Set(objects.nodeClaim.filter(({ name }) => gone.has(name)).map(({ status }) => status.nodeName))
  const nodeClaim = [...objects.nodeClaim.filter(({ name }) => !gone.has(name)), ...made.map(({ claim }) => claim)]
  const node = [...objects.node.filter(({ name }) => !nodes.has(name)), ...made.map((each) => each.node)]
  return { ...objects, node, nodeClaim, pod: objects.pod.flatMap((pod) => placed(pod, places.get(pod.key) ?? onMade.get(pod.key), nodes)) }
}

/** The time of everything that is simulated: it is old enough and has been quiet for long enough. */
const LONG_AGO = epochMs(0)

function placed(pod: Pod, place: NodeName | undefined, gone: ReadonlySet<string | undefined>): readonly Pod[] {
  const { unschedulableSince: _, nodeName: __, scheduledAt: ___, startedAt: ____, deletedAt: _____, ...free } = pod
  if (place !== undefined) return [{ ...free, nodeName: place, phase: 'Running', scheduledAt: LONG_AGO, startedAt: LONG_AGO }]
  if (pod.nodeName === undefined || !gone.has(pod.nodeName)) return [pod]
  if (pod.owner?.kind === 'DaemonSet' || pod.owner?.kind === 'Node') return []
  return [{ ...free, phase: 'Pending', unschedulableSince: LONG_AGO }]
}

function machineOf({ draft }: CreateClaim, { instanceTypes, unavailable, takenAt, settings, demoted }: Context): Machine | undefined {
  const { name, spec, annotations } = draft
  const types = instanceTypes.get(spec.nodeClassRef.name) ?? []
  const [launched] = planLaunch(draft, types, unavailable, takenAt, demoted).candidates
  if (launched === undefined) return undefined
  const own = nodeName(instanceNameOf(name, settings.machineNames))
  const meta = { uid: uid(name), annotations, createdAt: LONG_AGO, generation: 1, resourceVersion: '', finalizers: [] }
  const labels = { ...launched.labels, [LABEL.nodeClass]: spec.nodeClassRef.name, ...draft.labels }
  const up = { ...labels, [LABEL.hostname]: own, [LABEL.registered]: 'true', [LABEL.initialized]: 'true' }
  const shared = { capacity: launched.instanceType.capacity, allocatable: allocatableOfType(launched.instanceType) }
  const status = { ...shared, conditions: ['Launched', 'Registered', 'Initialized'].map(holds), providerId: providerId(own), nodeName: own }
  return {
    claim: { name, meta: { ...meta, labels }, spec: { ...spec, expireAfter: 'Never' }, status },
    node: {
      ...shared,
      name: own,
      meta: { ...meta, labels: up },
      providerId: status.providerId,
      taints: spec.taints,
      unschedulable: false,
      conditions: [holds('Ready')],
    },
  }
}

function holds(type: string): NodeClaim['status']['conditions'][number] {
  return { type, status: 'True', reason: type, message: '', lastTransitionAt: LONG_AGO, observedGeneration: 1 }
}
