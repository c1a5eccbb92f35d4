import { mapBounded, settle } from '../../base/concurrency.ts'
import { canonicalJson } from '../../base/json.ts'
import { decide } from '../../engine/loadedCluster.ts'
import { shortSizes, waitsOf, withShortSizes } from '../../engine/offering/shortSizes.ts'
import { refusalsNow } from '../../engine/offering/sizeReports.ts'
import { isLeftOut } from '../../model/claimRefusal.ts'
import type { ClusterSnapshot, DecisionContext, Nomination, SubnetShare } from '../../model/clusterSnapshot.ts'
import { findCondition } from '../../model/condition.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import type { Ledger } from '../../model/ledger.ts'
import { type NodeClaim, type NodeClaimDraft, nodeNameOf } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import { demotedSizes } from '../../model/sizeReport.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { SubnetState } from '../../ports/cloudProvider.ts'
import { CALLS_AT_ONCE, type ClusterDeps, logRefused, nodeVersionsOf, problemOf } from '../deps/clusterDeps.ts'
import { schedulerRefusalsOf } from '../ledger/refusals.ts'
import { rememberedIn } from '../ledger/rest.ts'
import type { ClusterReader } from '../state/catchUp.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** Gathers everything that a decision may read besides the objects of the cluster, which `state` holds. */
export async function takeDecisionContext(
  deps: ClusterDeps,
  state: ClusterState,
  ledger: Ledger,
  takenAt: EpochMs,
  signal: AbortSignalLike,
): Promise<DecisionContext> {
  const classes = state.list('nodeClass')
  const [unavailable, reports, subnetStates, encryptionProblem, nodeVersions, types] = await Promise.all([
    deps.offerings.unavailable(takenAt, signal),
    deps.offerings.reports(takenAt, signal),
    perClass(classes, (nodeClass) => subnetStateOf(deps, nodeClass, signal)),
    encryptionProblemOf(deps, signal),
    perClass(classes, (nodeClass) => nodeVersionsOf(deps, nodeClass, signal)),
    mapBounded(classes, CALLS_AT_ONCE, async (nodeClass) => [nodeClass.name, await deps.catalog.instanceTypes(nodeClass, signal)] as const),
  ])
  const demoted = demotedSizes(reports, takenAt)
  const ofCatalog = new Map<NodeClassName, readonly InstanceType[]>(types)
  const learned = shortSizes(ledger.shortSizes ?? [], {
    takenAt,
    claims: state.list('nodeClaim'),
    nodeOf: (claim) => state.find('node', nodeNameOf(claim, deps.settings.machineNames)),
    classes,
    instanceTypes: ofCatalog,
  })
  const instanceTypes = withShortSizes(ofCatalog, learned)
  const unserved = classes.filter(({ name }) => instanceTypes.get(name)?.length === 0)
  const sizeProblems = await perClass(unserved, (nodeClass) => deps.catalog.sizeProblem(nodeClass, signal))
  const leftOutSizes = await deps.catalog.leftOutSizes(signal)
  const refusals = await schedulerRefusalsOf(deps, state, ledger, takenAt, signal)
  const drafts = ledger.intents.map((intent) => intent.action.draft).filter((draft) => state.find('nodeClaim', draft.name) === undefined)
  const subnetRooms = subnetRoomsOf(subnetStates, { claims: state.list('nodeClaim'), drafts })
  return {
    cluster: deps.cluster,
    takenAt,
    settings: deps.settings,
    decision: ledger.decisions + 1,
    drafts,
    nominations: openNominations(ledger, state, takenAt),
    ...(refusals.length === 0 ? {} : { schedulerRefusals: refusals }),
    commands: ledger.commands,
    backOffs: ledger.backOffs,
    ...rememberedIn(ledger),
    ...(ledger.provisioningCursor === undefined ? {} : { provisioningCursor: ledger.provisioningCursor }),
    ...state.disruptionPace(takenAt),
    ...(state.isLoaded() ? {} : { isFirstDecision: true }),
    ...(learned.length === 0 ? {} : { shortSizes: learned }),
    ...(ledger.claimRefusals === undefined ? {} : { claimRefusals: ledger.claimRefusals }),
    instanceTypes,
    unavailable: waitsOf(deps.cluster, refusalsNow(unavailable, classes)),
    ...(demoted.length === 0 ? {} : { demoted }),
    nodeVersions,
    registrationOutcomes: new Map(state.list('nodePool').map(({ name }) => [name, state.registrationOutcomes(name)] as const)),
    sizeProblems,
    ...(leftOutSizes.size === 0 ? {} : { leftOutSizes }),
    subnetProblems: new Map([...subnetStates].flatMap(([name, { problem }]) => (problem === undefined ? [] : [[name, problem] as const]))),
    ...(subnetRooms.size === 0 ? {} : { subnetRooms }),
    ...(encryptionProblem === undefined ? {} : { encryptionProblem }),
  }
}

/** What is found for each class. A class for which nothing is found has no entry. */
async function perClass<Found>(
  classes: readonly NodeClass[],
  look: (each: NodeClass) => Promise<Found | undefined>,
): Promise<ReadonlyMap<NodeClassName, Found>> {
  const all = await mapBounded(classes, CALLS_AT_ONCE, async (each) => [each.name, await look(each)] as const)
  return new Map(all.flatMap(([name, found]) => (found === undefined ? [] : [[name, found] as const])))
}

/** What is known of the subnet of a NodeClass. A subnet that cannot be read counts as one without a problem. */
async function subnetStateOf(deps: ClusterDeps, nodeClass: NodeClass, signal: AbortSignalLike): Promise<SubnetState | undefined> {
  const found = await settle(() => deps.cloud.subnetState(nodeClass, signal))
  if (found.ok) return found.value
  logRefused(deps, `the look at the subnet of aksnodeclass ${nodeClass.name}`, problemOf(found.error))
  return undefined
}

/** Why disks cannot be encrypted. A set that cannot be looked at counts as one without a problem: a launch will show it. */
async function encryptionProblemOf(deps: ClusterDeps, signal: AbortSignalLike): Promise<Problem | undefined> {
  const found = await settle(() => deps.cloud.encryptionProblem(signal))
  if (found.ok) return found.value
  logRefused(deps, 'the look at the disk encryption set', problemOf(found.error))
  return undefined
}

/**
 * The nominations that still hold. A nomination ends with its time, once its pod runs or is gone, and once kube-scheduler has refused the pod, so
 * that it does not block disruption any longer. Pods of a disruption command run on their old nodes until the command is done, so their nominations hold.
 */
function openNominations(ledger: Ledger, state: ClusterState, now: EpochMs): readonly Nomination[] {
  const moving = new Set(ledger.commands.flatMap(({ candidates }) => candidates.flatMap(({ pods }) => pods.map(({ uid }) => uid))))
  const leftOut = new Set((ledger.schedulerRefusals ?? []).filter((each) => isLeftOut(each, now)).map(({ pod }) => pod.uid))
  return ledger.nominations.filter(({ pod, until }) => until > now && !leftOut.has(pod) && (state.isPending(pod) || moving.has(pod)))
}

type Coming = {
  readonly claims: readonly NodeClaim[]
  /** Claims that are decided and not made yet. */
  readonly drafts: readonly NodeClaimDraft[]
}

/**
 * For how many more machines the subnet of each class has addresses. The answer of Azure may be minutes old: machines that it may not count yet are
 * taken off. A machine may be taken off although Azure counted it; then the next answer gives its address back.
 */
export function subnetRoomsOf(
  states: ReadonlyMap<NodeClassName, SubnetState>,
  { claims, drafts }: Coming,
): ReadonlyMap<NodeClassName, SubnetShare> {
  const rooms = new Map([...states].flatMap(([name, { room }]) => (room === undefined ? [] : [[name, room] as const])))
  const coming = [
    ...claims.map((claim) => ({ name: claim.spec.nodeClassRef.name, launchedAt: launchedAt(claim) })),
    ...drafts.map(({ spec }) => ({ name: spec.nodeClassRef.name, launchedAt: undefined })),
  ]
  return new Map(
    [...rooms].map(([name, { subnet, machines, at }]) => {
      const isNotCounted = ({ name: other, launchedAt: since }: (typeof coming)[number]): boolean =>
        rooms.get(other)?.subnet === subnet && (since === undefined || since >= at)
      return [name, { subnet, machines: Math.max(0, machines - coming.filter(isNotCounted).length) }]
    }),
  )
}

function launchedAt({ status }: NodeClaim): EpochMs | undefined {
  const launched = findCondition(status.conditions, 'Launched')
  return launched?.status === 'True' ? launched.lastTransitionAt : undefined
}

/** For debugging: compares decisions of a cluster that stays loaded with decisions made from scratch. */
export interface DecisionCheck {
  /** Takes note of a decision. `snapshot` is called only if this decision is to be compared. */
  note(decision: Decision, snapshot: () => ClusterSnapshot): void
  /** Compares the decision noted last. Called after the reconcile. If the two decisions differ, the reader forgets the loaded cluster. */
  run(deps: Pick<ClusterDeps, 'cluster' | 'telemetry'>, reader: ClusterReader): void
}

/** Compares one of every `every` decisions, or none if `every` is 0. */
export function createDecisionCheck(every: number): DecisionCheck {
  let made = 0
  let noted: { readonly decision: Decision; readonly snapshot: ClusterSnapshot } | undefined
  return {
    note(decision, snapshot) {
      made++
      if (every > 0 && made % every === 0) noted = { decision, snapshot: snapshot() }
    },
    run({ cluster, telemetry }, reader) {
      if (noted === undefined) return
      const { decision, snapshot } = noted
      noted = undefined
      const afresh = decide(snapshot)
      const fields = { cluster, decision: snapshot.decision }
      if (canonicalJson(afresh) === canonicalJson(decision))
        return telemetry.info('a decision was made again from scratch: the same', fields)
      telemetry.error('a decision of the loaded cluster differs from one made from scratch: the cluster is loaded anew', {
        ...fields,
        kept: canonicalJson(decision),
        afresh: canonicalJson(afresh),
      })
      reader.forget()
    },
  }
}
