import type { ObjectByKind } from './clusterObjects.ts'
import type { BackOff, DisruptionCommand } from './disruptionCommand.ts'
import type { ClusterId, MachineNames, NodeClaimName, NodeClassName, NodePoolName, Uid } from './ids.ts'
import type { InstanceType } from './instanceType.ts'
import type { JoinOutcome } from './joinOutcome.ts'
import type { MoveTurn } from './moveTurn.ts'
import type { NodeClaimDraft } from './nodeClaim.ts'
import type { TopologySpreadConstraint } from './pod.ts'
import type { ClusterLinks } from './portalLinks.ts'
import type { Problem } from './problem.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import type { DurationMs, EpochMs, MicroUsdPerHour } from './units.ts'

/** Everything a decision may look at, frozen. `takenAt` is its only clock. */
export type ClusterSnapshot = {
  readonly cluster: ClusterId
  readonly takenAt: EpochMs
  readonly settings: DecisionSettings
  /** Number of this decision: makes the names of new claims unique and repeatable. */
  readonly decision: number
  /** Every object of a kind, in any order: the decision does not depend on it. */
  readonly objects: { readonly [Kind in keyof ObjectByKind]: readonly ObjectByKind[Kind][] }
  /** Claims that were decided but that the watch has not shown yet. */
  readonly drafts: readonly NodeClaimDraft[]
  /** Which claim a pending pod was promised to: it is placed there again while it fits. */
  readonly nominations: readonly Nomination[]
  /** Moves under way. Their candidates are on their way out. */
  readonly commands: readonly DisruptionCommand[]
  /** Moves that came to nothing lately. */
  readonly backOffs: readonly BackOff[]
  /** Until then machines with pods stay where they are, and nothing is said about them. Absent: moves are planned now. */
  readonly movesFrom?: EpochMs
  /** The process has just loaded the cluster. While places are found for pods that wait, everything else is left to the next look. */
  readonly isFirstLook?: true
  /** The last machine whose turn it was when moves were planned before. Absent: the first machine has the next turn. */
  readonly movesAfter?: MoveTurn
  readonly instanceTypes: ReadonlyMap<NodeClassName, readonly InstanceType[]>
  readonly unavailable: readonly UnavailableOffering[]
  /** Classes that no size of the region serves, and why. */
  readonly sizeProblems?: ReadonlyMap<NodeClassName, Problem>
  /** Classes whose own subnet cannot take machines, and why. */
  readonly subnetProblems?: ReadonlyMap<NodeClassName, Problem>
  /** How the last claims of each pool came out, oldest first. */
  readonly joinings?: ReadonlyMap<NodePoolName, readonly JoinOutcome[]>
}

export type Nomination = { readonly pod: Uid; readonly claim: NodeClaimName; readonly until: EpochMs }

/** What a move that nobody asked for has to be worth. */
export type Calm = {
  /** No machine goes to save money, because it is empty, or because it drifted. */
  readonly isFrozen: boolean
  /** Of what the machines that go cost, from 0 to below 1. */
  readonly leastSavingShare: number
  /** For each pod that has to move. */
  readonly leastSavingPerPod: MicroUsdPerHour
  /** Younger machines with pods are left alone. */
  readonly leastNodeAge: DurationMs
}

export type DecisionSettings = {
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
  readonly preferencePolicy: 'Respect' | 'Ignore'
  /** Most instance types a claim names, cheapest first. */
  readonly maxInstanceTypes: number
  readonly launchTimeout: DurationMs
  readonly registrationTimeout: DurationMs
  /** Of nodes that are ready and lack something that their claim promised. Absent: they are waited for without end. */
  readonly initializationTimeout?: DurationMs
  readonly machineNames: MachineNames
  /** False: machines whose nodes are broken stay. Absent: they are replaced. */
  readonly nodeRepair?: boolean
  /** How much rest moves of machines leave. Absent: none beyond what pools say. */
  readonly calm?: Calm
  /** `price`, when absent: the cheapest valid plan. `firstFit`: Karpenter's order, pod by pod. */
  readonly placement?: 'price' | 'firstFit'
  /** For pods without spread constraints of their own: the scheduler's cluster default. */
  readonly defaultSpread?: readonly DefaultSpread[]
  /** Where people see what is done; without it nothing links there. */
  readonly links?: ClusterLinks
  /** Most steps of one decision; pods not reached get `SCHEDULING.DEADLINE`. Absent: the engine's own bound. */
  readonly maxSteps?: number
}

/** The selector follows from the services and the owner of the pod. */
export type DefaultSpread = Omit<TopologySpreadConstraint, 'selector' | 'matchLabelKeys'>
