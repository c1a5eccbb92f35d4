import type { ClaimRefusal, SchedulerRefusal } from './claimRefusal.ts'
import type { ClusterFactHashes } from './clusterFacts.ts'
import type { ObjectByKind } from './clusterObjects.ts'
import type { DisruptionCursor, ProvisioningCursor } from './decision.ts'
import type { BackOff, BegunMove, DisruptionCommand, ExtraNodes, MoveRest } from './disruptionCommand.ts'
import type { ClusterId, MachineNames, NodeClaimName, NodeClassName, NodePoolName, Uid } from './ids.ts'
import type { InstanceType, LeftOutSizes } from './instanceType.ts'
import type { Labels } from './labels.ts'
import type { NodeVersions } from './node.ts'
import type { NodeClaimDraft } from './nodeClaim.ts'
import type { RegistrationOutcome } from './nodePool.ts'
import type { TopologySpreadConstraint } from './pod.ts'
import type { ClusterLinks } from './portalLinks.ts'
import type { Problem } from './problem.ts'
import type { RepairPolicy } from './repairPolicy.ts'
import type { DemotedSize, ShortSize } from './sizeReport.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import type { DurationMs, EpochMs, MicroUsdPerHour } from './units.ts'

/** The frozen input of a decision. `takenAt` is its only clock. */
export type ClusterSnapshot = {
  readonly cluster: ClusterId
  readonly takenAt: EpochMs
  readonly settings: DecisionSettings
  /** Number of this decision. It makes the names of new claims unique and repeatable. */
  readonly decision: number
  /** All objects by kind, in any order. The decision does not depend on the order. */
  readonly objects: { readonly [Kind in keyof ObjectByKind]: readonly ObjectByKind[Kind][] }
  /** Claims that were decided and that the watch has not shown yet. */
  readonly drafts: readonly NodeClaimDraft[]
  /** The claim that each nominated pending pod was promised to. The pod is placed there again while it fits. */
  readonly nominations: readonly Nomination[]
  /** Disruption commands under way. Their candidates are about to be removed. */
  readonly commands: readonly DisruptionCommand[]
  /** Disruption commands that failed lately. */
  readonly backOffs: readonly BackOff[]
  /** Moves that the calm settings remember. Undefined: none. */
  readonly begunMoves?: readonly BegunMove[]
  readonly moveRests?: readonly MoveRest[]
  readonly extraNodes?: readonly ExtraNodes[]
  /** Before this time, machines with pods stay and get no reasons. Undefined: moves are planned now. */
  readonly disruptionResumesAt?: EpochMs
  /** The process has just loaded the cluster. If pods get places in this decision, everything else waits for the next look. */
  readonly isFirstDecision?: true
  /** The last machine that had its turn when moves were planned before. Undefined: the first machine has the next turn. */
  readonly disruptionCursor?: DisruptionCursor
  /** Where the decision before stopped planning, if its steps did not suffice for all pods. Undefined: planning begins with the first pod. */
  readonly provisioningCursor?: ProvisioningCursor
  /** Waiting pods that kube-scheduler does not bind where they were planned. Undefined: none. */
  readonly schedulerRefusals?: readonly SchedulerRefusal[]
  /** Sizes with less room than the catalog promises. `instanceTypes` have the room that is left. Undefined: none. */
  readonly shortSizes?: readonly ShortSize[]
  /** NodeClaims that the API server refused lately. Undefined: none. */
  readonly claimRefusals?: readonly ClaimRefusal[]
  readonly instanceTypes: ReadonlyMap<NodeClassName, readonly InstanceType[]>
  readonly unavailable: readonly UnavailableOffering[]
  /** Sizes that are weighed at a multiple of their price. Undefined: none. */
  readonly demoted?: readonly DemotedSize[]
  /** What new nodes of a class should have. A class without an entry keeps what its status names. */
  readonly nodeVersions?: ReadonlyMap<NodeClassName, NodeVersions>
  /** Why no size of the region serves a class. Other classes have no entry. */
  readonly sizeProblems?: ReadonlyMap<NodeClassName, Problem>
  /** Sizes of the region that no class can have. Undefined: not known. */
  readonly leftOutSizes?: LeftOutSizes
  /** Why a class's own subnet cannot take machines. Other classes have no entry. */
  readonly subnetProblems?: ReadonlyMap<NodeClassName, Problem>
  /** Why no machine gets a disk that is encrypted with the set of the cluster. Undefined if nothing is known against it. */
  readonly encryptionProblem?: Problem
  /** For how many new machines of a class its subnet has addresses. Classes of one subnet share them. A class without an entry is not limited. */
  readonly subnetRooms?: ReadonlyMap<NodeClassName, SubnetShare>
  /** The outcomes of the last claims of each pool, oldest first. */
  readonly registrationOutcomes?: ReadonlyMap<NodePoolName, readonly RegistrationOutcome[]>
}

/** `machines`: how many more machines the subnet takes. */
export type SubnetShare = { readonly subnet: string; readonly machines: number }

export type Nomination = { readonly pod: Uid; readonly claim: NodeClaimName; readonly until: EpochMs }

/** The least benefit that a voluntary disruption must have, and how many may follow each other. */
export type Calm = {
  /** True: no machine is removed because it is not worth its price, empty or drifted. */
  readonly isFrozen: boolean
  /** Share of the price of the removed machines that a consolidation must save, from 0 to below 1. */
  readonly leastSavingShare: number
  /** What a consolidation must save for each pod that it moves. */
  readonly leastSavingPerPod: MicroUsdPerHour
  /** Younger machines with pods are not consolidated. */
  readonly leastNodeAge: DurationMs
  /** The most consolidation moves of the pool that may begin within an hour. 0: no limit. */
  readonly mostMovesAnHour: number
  /** How long nodes that got pods of a move, and nodes with pods of the same workloads, are not consolidated after it. */
  readonly restAfterMove: DurationMs
  /** The most replacements that consolidation moves of the pool may add while the nodes that they replace are still there. 0: no limit. */
  readonly mostExtraNodes: number
}

/** Disruption reasons for which a node may go before its replacement comes. */
export type TerminateFirstFor = 'Drifted' | 'Unhealthy'

export type DecisionSettings = {
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
  readonly preferencePolicy: 'Respect' | 'Ignore'
  /** The largest number of instance types that a claim names, cheapest first. */
  readonly maxInstanceTypes: number
  readonly launchTimeout: DurationMs
  readonly registrationTimeout: DurationMs
  /** Time-out of registered nodes that do not provide what their claim promised. Undefined: no time-out. */
  readonly initializationTimeout?: DurationMs
  readonly machineNames: MachineNames
  /** Client id of the identity that the kubelets of new nodes get. Undefined or empty: not known. */
  readonly kubeletIdentityClientId?: string
  /** Hashes of the facts of the cluster that new machines get. Undefined: not known. */
  readonly clusterFacts?: ClusterFactHashes
  /** Tags that machines get in addition to those of their class. Undefined: none. */
  readonly additionalTags?: Labels
  /** `legacy`: by the rules of Karpenter 1.14, which end broken nodes at once. Undefined: `on`. */
  readonly nodeRepair?: 'on' | 'legacy' | 'off'
  /** A valid set. Undefined: the default policies. */
  readonly repairPolicies?: readonly RepairPolicy[]
  /** Why a node of a pool without room for a replacement may go before another comes in its place. Undefined: such a node stays. */
  readonly terminateFirst?: readonly TerminateFirstFor[]
  /** Undefined: only the disruption settings of the pools limit moves. */
  readonly calm?: Calm
  /** The most nodes of the cluster that have the taint of planned nodes at a time. Undefined: none. */
  readonly mostPlannedTaints?: number
  /** True: pods of nodes with that taint get a low deletion cost. Otherwise no pod is written. */
  readonly podDeletionCosts?: boolean
  /** `price`, the default: the cheapest valid plan. `firstFit`: Karpenter's order, pod by pod. */
  readonly placement?: 'price' | 'firstFit'
  /**
   * What one more node costs its owner beside its bill, in micro-USD an hour. The cost decides between plans and between moves, and is in no price
   * that is shown. Undefined: nothing.
   */
  readonly nodeCost?: MicroUsdPerHour
  /** The scheduler's cluster default constraints, for pods without topology spread constraints of their own. */
  readonly defaultSpread?: readonly DefaultSpread[]
  /** Pages of Azure's portal that messages link to. Undefined: messages have no links. */
  readonly links?: ClusterLinks
  /** The largest number of steps of one decision. Pods not reached get `SCHEDULING.DEADLINE`. Undefined: the engine's own bound. */
  readonly maxSteps?: number
}

/** A spread constraint without a selector. The selector follows from the services and the owner of the pod. */
export type DefaultSpread = Omit<TopologySpreadConstraint, 'selector' | 'matchLabelKeys'>

/** The objects of a snapshot, a list for each kind. */
export type Objects = ClusterSnapshot['objects']
export type SnapshotKind = keyof Objects
export type ObjectOf<Each extends SnapshotKind> = Objects[Each][number]

/** The changes since the cluster was loaded. An object that is put replaces the object with its key. Removed keys need not exist. */
export type Delta = {
  readonly put?: { readonly [Each in SnapshotKind]?: readonly ObjectOf<Each>[] }
  readonly removed?: { readonly [Each in SnapshotKind]?: readonly string[] }
}

/** What a decision knows besides the objects of the cluster: its time, its settings, nominations of earlier decisions, and what Azure offers. */
export type DecisionContext = Omit<ClusterSnapshot, 'objects'>
