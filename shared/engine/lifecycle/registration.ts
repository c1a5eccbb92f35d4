import { defined } from '../../base/values.ts'
import type { ClaimAction, ClaimObservation, ClaimStep, NodePatch } from '../../model/claimStep.ts'
import { ANNOTATION, FINALIZER, LABEL, type Labels, LONGEST_BOOT_LABEL_KEY, TAINT_KEY } from '../../model/labels.ts'
import { isMachineOfOurs, type Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isEphemeral, isSameTaint, type Taint } from '../../model/taint.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { DISRUPTED_TAINT } from '../pod/podPredicates.ts'
import { becomes, earlier, isOpen, isTrue, nextRequeue, reached, since, statusActions, staysOpen, warning } from './claimStatus.ts'
import { hasMultipleNodes, MULTIPLE_NODES } from './drain.ts'
import { INITIALIZED_LABELS, initialized, missingForInitialization } from './initialization.ts'
import { isOfEarlierGeneration } from './launch.ts'
import { registrationDeadline } from './liveness.ts'
import { isReady } from './nodeState.ts'

/** Reason of `Registered` while no node has joined. */
export const NODE_NOT_FOUND = 'NodeNotFound'

/** Registers the node that joined: it gets labels, taints, finalizer and owner from the claim. Then it may run pods. */
export function stepRegistration(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, now } = observation
  if (!isTrue(claim, 'Launched') || !(isOpen(claim, 'Registered') || hasMultipleNodes(claim))) return undefined
  // A look that has not read the other nodes cannot tell whether they are gone.
  if (hasMultipleNodes(claim) && observation.otherNodes === undefined) return awaitNode(observation, [])
  const [node, ...others] = nodes
  if (node === undefined) {
    return awaitNode(observation, statusActions(observation, [staysOpen('Registered', NODE_NOT_FOUND, 'no node has joined yet')]))
  }
  if (others.length > 0) {
    const named = nodes.map(({ name }) => name).join(', ')
    const message = `nodes ${named} carry spec.providerID of nodeclaim ${claim.name}, and a machine has one node; delete all but one`
    const change = { type: 'Registered', status: 'False', reason: MULTIPLE_NODES, message } as const
    const actions = statusActions(observation, [change])
    const told = actions.length === 0 ? [] : [{ kind: 'publish', event: warning(claim, MULTIPLE_NODES, message) } as const]
    return awaitNode(observation, [...actions, ...told])
  }
  const untouched = untouchedUntil(observation, node)
  if (untouched !== undefined) return { actions: [], reasons: [], wakeAt: untouched }
  const patch = registeredNode(claim, node)
  const next = whatComesNext(claim, { ...node, ...defined({ taints: patch.taints }) })
  return {
    actions: [
      ...unexpectedTaints(claim, node),
      { kind: 'patchNode', node, patch: { ...patch, labels: { ...patch.labels, ...next.labels } } },
      // Comes before the condition, so that a step that is cut off here is taken again.
      { kind: 'deleteBootstrapToken' },
      ...statusActions(observation, [becomes('Registered'), ...next.changes], { nodeName: node.name }),
      reached(claim, 'Registered', `node ${node.name} joined as nodeclaim ${claim.name}`),
      ...next.events,
    ],
    reasons: [],
    wakeAt: now,
  }
}

/**
 * How long the registration waits for a node that joined and cannot run pods yet. A starting node has many writers, and most nodes can run pods
 * within this time: then one write does the work of two, and disturbs no other writer. After it, the node is registered as it is.
 */
export const START_PATIENCE: DurationMs = durationMs(10_000)

/**
 * The time until which a node that joined is not registered, unless it can run pods before. Undefined if it is registered now. The patience ends as
 * long before the registration timeout.
 */
export function untouchedUntil(
  { claim, settings, now }: Pick<ClaimObservation, 'claim' | 'settings' | 'now'>,
  node: Node,
): EpochMs | undefined {
  const latest = epochMs(registrationDeadline({ claim, settings }) - START_PATIENCE)
  const until = earlier(later(node.meta.createdAt, START_PATIENCE), latest)
  return canRunPods(node) || now >= until ? undefined : until
}

type Next = Pick<ReturnType<typeof initialized>, 'changes' | 'events'> & { readonly labels: Labels }

/** What the same writes say about initialization: the node is initialized if it is ready as it joins. Otherwise they say what it still lacks. */
function whatComesNext(claim: NodeClaim, node: Node): Next {
  const missing = missingForInitialization(claim, node, durationMs(0))
  if (missing === undefined) return { ...initialized(claim, node), labels: INITIALIZED_LABELS }
  return { changes: [staysOpen('Initialized', missing.reason, missing.message)], events: [], labels: {} }
}

/** The patch with everything that a registered node carries. */
function registeredNode(claim: NodeClaim, node: Node): NodePatch {
  return {
    labels: { ...node.meta.labels, ...longLabels(claim), ...claim.meta.labels, [LABEL.registered]: 'true' },
    annotations: { ...node.meta.annotations, ...claim.meta.annotations },
    taints: registeredTaints(claim, node),
    finalizers: [...new Set([...node.meta.finalizers, FINALIZER])],
    ownerClaim: { name: claim.name, uid: claim.meta.uid },
  }
}

/** Labels with one required value whose keys are too long to be set at boot. The labels of a claim made by hand may lack them. */
function longLabels({ spec }: NodeClaim): Labels {
  const fixed = spec.requirements.flatMap(({ key, operator, values: [value, ...others] }) =>
    key.length > LONGEST_BOOT_LABEL_KEY && operator === 'In' && value !== undefined && others.length === 0 ? [[key, value] as const] : [],
  )
  return Object.fromEntries(fixed)
}

/** The node's own taint wins over the claim's of the same key and effect. */
function registeredTaints(claim: NodeClaim, node: Node): readonly Taint[] {
  const taints = node.taints.filter((taint) => taint.key !== TAINT_KEY.unregistered)
  if (node.meta.labels[LABEL.doNotSyncTaints] === 'true') return taints
  for (const taint of [...claim.spec.taints, ...claim.spec.startupTaints]) {
    if (!taints.some((present) => isSameTaint(present, taint))) taints.push(taint)
  }
  return taints
}

function unexpectedTaints(claim: NodeClaim, node: Node): readonly ClaimAction[] {
  const isKnown = node.meta.labels[LABEL.registered] === 'true' || node.taints.some((taint) => taint.key === TAINT_KEY.unregistered)
  if (isKnown) return []
  const message = `node ${node.name} joined without the taint ${TAINT_KEY.unregistered}:NoExecute, so pods may have run before it was set up`
  return [{ kind: 'publish', event: warning(claim, 'UnregisteredTaintMissing', message) }]
}

/** A step that waits for the node. It looks again often while the machine is young. */
export function awaitNode(observation: Pick<ClaimObservation, 'claim' | 'settings' | 'now'>, actions: readonly ClaimAction[]): ClaimStep {
  const next = nextRequeue(since(observation.claim, 'Launched'), observation.now)
  return { actions, reasons: [], wakeAt: earlier(next, registrationDeadline(observation)) }
}

/**
 * Reports whether a step of the node's claim may find something to do, judged by the node alone. A look costs reads of the API server. So a change
 * that matters to no step leads to none: a healthy node, a claim that is ready, and what our own steps wrote on a claim that a chain of looks follows
 * anyway.
 */
export function nodeNeedsReconcile(node: Node): boolean {
  if (!isMachineOfOurs(node) || isClosed(node)) return false
  if (node.meta.deletedAt !== undefined && node.meta.finalizers.includes(FINALIZER)) return true
  if (node.meta.labels[LABEL.registered] !== 'true') return true
  // The node shows what it still waits for. Which taints are startup taints is known to the claim alone, so the look checks them.
  if (node.meta.labels[LABEL.initialized] !== 'true') return isReady(node) && !node.taints.some(isEphemeral)
  // The machine of a node that is not ready may be gone.
  return !isReady(node)
}

/** Reports whether a joining node has finished its own start: it is ready, and only the taint that we remove ourselves is left of its start. */
export function canRunPods(node: Node): boolean {
  return isReady(node) && !node.taints.some((taint) => isEphemeral(taint) && taint.key !== TAINT_KEY.unregistered)
}

/**
 * Reports whether no chain of looks follows the claim yet, judged by the claim alone. The process that makes or ends a claim follows it. A claim made
 * or deleted by hand is not followed until a first look, and this look writes conditions. A claim of a new generation is looked at once.
 */
export function claimNeedsReconcile(claim: NodeClaim): boolean {
  const { conditions } = claim.status
  if (claim.meta.deletedAt !== undefined) return !conditions.some(({ type }) => type === 'Drained' || type === 'InstanceTerminating')
  return isOfEarlierGeneration(claim) || (conditions.length === 0 && claim.meta.annotations[ANNOTATION.decision] === undefined)
}

/** Reports whether the node is closed. Whatever closed it also ends its claim and follows it. */
function isClosed(node: Node): boolean {
  return node.taints.some(({ key, effect }) => key === DISRUPTED_TAINT.key && effect === DISRUPTED_TAINT.effect)
}
