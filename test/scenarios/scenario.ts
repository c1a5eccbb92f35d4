/** The notation of the scenarios: a cluster as plain data, and what the rules determine about the answer. */
import type { DecisionSettings, Nomination } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { NodeOverlay } from '../../shared/model/nodeOverlay.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { ProblemCode } from '../../shared/model/problem.ts'
import type { UnavailableOffering } from '../../shared/model/unavailableOffering.ts'
import type { PodDisruptionBudget } from '../../shared/model/workloads.ts'

/** By a short handle and a sentence. `want` holds in both placements; with `firstFit`, only where price decides. */
export type Scenarios = { readonly [sentence: string]: Scenario }

export type Scenario = {
  readonly given: Given
  readonly want: Want
  readonly firstFit?: Want
  /** What happens next, in the world that the decision before it made. */
  readonly then?: readonly Step[]
}

export type Step = {
  /** How far the machines of the decision before have come; `initialized` when absent. */
  readonly stage?: Stage
  /** The pods that were placed are bound by now; true when absent. */
  readonly bound?: boolean
  /** Names of nodes, and names or groups of pods, that are gone by now. */
  readonly gone?: string
  /** More objects, or others of the same name; pods that are there stay as they are. */
  readonly given?: Given
  readonly want: Want
  readonly firstFit?: Want
}

export type Given = {
  /** One catalog for all NodeClasses, or one each. `default` when absent. */
  readonly types?: readonly InstanceType[] | { readonly [nodeClass: string]: readonly InstanceType[] }
  /** Absent: one pool named `default` without rules. */
  readonly pools?: Named<PoolGiven>
  readonly nodes?: Named<NodeGiven>
  readonly pods?: Named<PodGiven>
  readonly daemons?: Named<PodGiven>
  readonly namespaces?: Named<string>
  readonly budgets?: Named<Partial<PodDisruptionBudget> & { readonly of: string }>
  readonly volumeClaims?: Named<VolumeClaimGiven>
  readonly volumes?: Named<VolumeGiven>
  readonly classes?: Named<ClassGiven>
  readonly services?: Named<string | null>
  readonly workloads?: Named<WorkloadGiven>
  readonly overlays?: Named<OverlayGiven>
  readonly buffers?: Named<BufferGiven>
  readonly templates?: Named<PodGiven>
  readonly unavailable?: readonly UnavailableOffering[]
  /** Pod to the claim it was promised to. */
  readonly promised?: Named<string | { readonly to: string; readonly until: Nomination['until'] }>
  readonly settings?: Partial<DecisionSettings>
}

type Named<Thing> = { readonly [name: string]: Thing }

/** `cpu: 1.5` in CPUs, `memory: 2` in GiB, others as counts; or as Kubernetes writes them. */
export type Amounts = { readonly [resource: string]: number | string }

export type PoolGiven = {
  /** Requirements: `'zone in z1 z2, team=a, size exists min 2'`. */
  readonly needs?: string
  /** `'team=a tier=b'` */
  readonly labels?: string
  /** `'team=a:NoSchedule other:NoExecute'`; NoSchedule when no effect is named. */
  readonly taints?: string
  readonly startupTaints?: string
  readonly annotations?: Labels
  readonly limits?: Amounts
  readonly weight?: number
  readonly replicas?: number
  readonly class?: string
  readonly ready?: boolean
  readonly deleting?: boolean
  readonly grace?: NodePool['template']['terminationGracePeriod']
}

export type Stage = 'draft' | 'created' | 'launched' | 'registered' | 'initialized'

export type NodeGiven = {
  readonly count?: number
  /** Null: a node that no claim made. `default` when absent. */
  readonly pool?: string | null
  readonly stage?: Stage
  /** Labels of the machine: `'zone=z2 type=small'`. Zone z1, on demand, amd64, linux when absent. */
  readonly labels?: string
  /** Keys of labels it does not have. */
  readonly bare?: string
  /** Allocatable: 4 CPU, 4 GiB, 5 pods when absent. */
  readonly room?: Amounts
  /** What the kubelet reports, where it differs from what the claim promised. */
  readonly reports?: Amounts
  readonly taints?: string
  readonly startupTaints?: string
  /** Requirements of a claim that is not launched. */
  readonly needs?: string
  /** Requests of its claim, beside those for one pod: 1 CPU, 1 GiB when absent. */
  readonly bought?: Amounts
  readonly deleting?: boolean
  readonly ending?: boolean
  readonly cordoned?: boolean
  /** Attach limits by driver. */
  readonly attach?: { readonly [driver: string]: number }
}

export type PodGiven = {
  /** More than one: named `<name>-1` on. */
  readonly count?: number
  readonly asks?: Amounts
  readonly containers?: readonly Amounts[]
  /** Init containers in the order they run; a sidecar keeps running. */
  readonly start?: readonly { readonly init?: Amounts; readonly sidecar?: Amounts }[]
  readonly podLevel?: Amounts
  readonly overhead?: Amounts
  /** `app=<name>` comes by itself. */
  readonly labels?: string
  readonly namespace?: string
  /** Node selector: `'zone=z2 arch=arm64'`. */
  readonly select?: string
  /** Required node affinity; several are alternatives. */
  readonly needs?: string | readonly string[]
  /** Preferred node affinity: term to weight, or one term. */
  readonly prefers?: string | { readonly [term: string]: number }
  /** `'team=a:NoSchedule'`, `'team'` for any value, `'*'` for everything. */
  readonly tolerates?: string
  /** A key alone: skew 1, of the pod's own `app`, do not schedule. */
  readonly spread?: string | readonly SpreadGiven[]
  /** `'app=db over zone'`; several hold together. */
  readonly near?: string | readonly AffinityGiven[]
  readonly apart?: string | readonly AffinityGiven[]
  /** With weights; a term alone has weight 1. */
  readonly ratherNear?: string | { readonly [term: string]: number }
  readonly ratherApart?: string | { readonly [term: string]: number }
  /** `'80'`, `'80/UDP'`, `'80@10.0.0.1'`. */
  readonly ports?: string
  /** Names of volume claims. */
  readonly mounts?: string
  /** Volume to storage class; null: the default class. */
  readonly ephemeral?: { readonly [volume: string]: string | null }
  /** Node it is bound to. */
  readonly on?: string
  readonly owner?: Pod['owner'] | null
  readonly age?: number
  readonly over?: Partial<Pod>
}

export type SpreadGiven = {
  readonly over: string
  readonly skew?: number
  /** Null: no selector at all. */
  readonly of?: string | null
  readonly soft?: true
  readonly minDomains?: number
  readonly taints?: 'Honor' | 'Ignore'
  readonly affinity?: 'Honor' | 'Ignore'
  readonly keys?: readonly string[]
}

export type AffinityGiven = {
  readonly term: string
  readonly namespaces?: readonly string[]
  readonly namespaceSelector?: string
}

export type VolumeClaimGiven = {
  readonly volume?: string
  readonly class?: string
  readonly lost?: true
  readonly deleting?: true
  readonly unfinished?: true
}
export type VolumeGiven = {
  readonly needs?: string | readonly string[]
  readonly driver?: string
  readonly deleting?: true
  readonly onHost?: true
}
export type ClassGiven = {
  /** Alternatives. */
  readonly zones?: readonly string[]
  readonly driver?: string
  readonly immediate?: true
  /** Age rank among default classes: the newest wins. */
  readonly isDefault?: number
}
export type WorkloadGiven = {
  readonly kind: string
  readonly apiVersion?: string
  readonly replicas?: number
  readonly selector?: string
  readonly pod?: PodGiven
}
export type OverlayGiven = { readonly needs: string } & Partial<Pick<NodeOverlay, 'price' | 'priceAdjustment' | 'capacity' | 'weight'>>
export type BufferGiven = {
  readonly template?: string
  readonly scalable?: string
  readonly replicas?: number
  readonly percentage?: number
  readonly limits?: Amounts
}

/** Only what is named is looked at; but whoever got no place must be named in `unplaced`. */
export type Want = {
  /** New machines: how many, or each of them. */
  readonly claims?: number | readonly ClaimWant[]
  /** What holds for every new machine. */
  readonly every?: ClaimWant
  /** Machines, new and present, that pods of this step go to. */
  readonly nodes?: number
  /** Pods that a present node takes, by name or how many. */
  readonly on?: { readonly [node: string]: string | number }
  /** Pods or groups without a place, by code; with a number: so many of the group. */
  readonly unplaced?: { readonly [name: string]: ProblemCode | readonly [ProblemCode, number] }
  /** Anybody may be without a place: where a first fit that does not go back may end. */
  readonly someUnplaced?: true
  /** Living pods of an app by domain, `'zone web'`, in any order. */
  readonly skew?: { readonly [keyAndGroup: string]: readonly number[] }
  /** The most pods of an app in one domain. */
  readonly fullest?: { readonly [keyAndGroup: string]: number }
  /** The most by which one domain with pods of an app has more than another. */
  readonly level?: { readonly [keyAndGroup: string]: number }
  /** Pods of the same machine, one list a machine. */
  readonly together?: readonly string[]
  /** Dollars an hour for all new machines: exactly, or at most. */
  readonly price?: number
  readonly priceAtMost?: number
  /** Part of what one of the refused pods is told. */
  readonly says?: string
}

export type ClaimWant = {
  readonly times?: number
  /** Names, or how many. */
  readonly pods?: number | string
  readonly pool?: string
  /** The size bought. */
  readonly type?: string
  /** Every size it may become, in any order. */
  readonly types?: string
  /** Words in the name of every size it may become. */
  readonly typesLike?: string
  /** The least number of sizes it may become. */
  readonly typesAtLeast?: number
  /** Every zone, or capacity type, it may get. */
  readonly zone?: string
  readonly capacity?: string
  /** Labels of the machine. */
  readonly labels?: string
  /** Keys that the machine has no label of. */
  readonly without?: string
  /** Keys that it has some label of. */
  readonly has?: string
  /** Keys that the claim itself does not label. */
  readonly unlabelled?: string
  readonly grace?: number | null
  readonly taints?: string
  readonly requests?: Amounts
  readonly annotations?: Labels
  /** Requirements of the claim as a whole line each, among others. */
  readonly needs?: string
}
