/** The notation of the scenarios: a cluster as plain data, and what the rules determine about the answer. */
import type { DecisionSettings, Nomination } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { NodeOverlay, NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { ProblemCode } from '../../shared/model/problem.ts'
import type { DemotedSize } from '../../shared/model/sizeReport.ts'
import type { UnavailableOffering } from '../../shared/model/unavailableOffering.ts'
import type { PodDisruptionBudget } from '../../shared/model/workloads.ts'

/** Scenarios by a short handle and a sentence. `want` holds in both placements. With `firstFit`, `want` holds for placement by price only. */
export type Scenarios = { readonly [sentence: string]: Scenario }

export type Scenario = {
  readonly given: Given
  readonly want: Want
  readonly firstFit?: Want
  /** The next steps, each in the world that the decision before it made. */
  readonly then?: readonly Step[]
}

export type Step = {
  /** The stage of the machines of the decision before. Absent: `initialized`. */
  readonly stage?: Stage
  /** The placed pods are bound. Absent: true. */
  readonly bound?: boolean
  /** Names of removed nodes, and names or groups of removed pods. */
  readonly gone?: string
  /** Objects to add. An object with an existing name replaces it, but existing pods stay as they are. */
  readonly given?: Given
  readonly want: Want
  readonly firstFit?: Want
}

export type Given = {
  /** One catalog for all NodeClasses, or one for each by name. Absent: `DEFAULT`. */
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
  readonly demoted?: readonly DemotedSize[]
  /** Maps the name of a pod to the claim it is nominated to. */
  readonly promised?: Named<string | { readonly to: string; readonly until: Nomination['until'] }>
  readonly settings?: Partial<DecisionSettings>
}

type Named<Thing> = { readonly [name: string]: Thing }

/** Amounts: `cpu: 1.5` in CPUs, `memory: 2` in GiB, others as counts. Text is read as a Kubernetes quantity. */
export type Amounts = { readonly [resource: string]: number | string }

export type PoolGiven = {
  /** Requirements: `'zone in z1 z2, team=a, size exists min 2'`. */
  readonly needs?: string
  /** `'team=a tier=b'` */
  readonly labels?: string
  /** `'team=a:NoSchedule other:NoExecute'`. The default effect is NoSchedule. */
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
  /** Null: a node without a claim. Absent: `default`. */
  readonly pool?: string | null
  readonly stage?: Stage
  /** Labels of the machine: `'zone=z2 type=small'`. Absent: zone z1, on demand, amd64, linux. */
  readonly labels?: string
  /** Keys of labels that the machine lacks. */
  readonly bare?: string
  /** Allocatable. Absent: 3.9 CPUs, 4086 MiB, 5 pods. */
  readonly room?: Amounts
  /** The resources that the kubelet reports, if they differ from those of the claim. */
  readonly reports?: Amounts
  readonly taints?: string
  readonly startupTaints?: string
  /** Requirements of a claim that is not launched. */
  readonly needs?: string
  /** Requests of the claim, in addition to the room for one pod. Absent: 1 CPU, 1 GiB. */
  readonly bought?: Amounts
  readonly deleting?: boolean
  readonly ending?: boolean
  readonly cordoned?: boolean
  /** Drivers that have come, with the attach limit of each. */
  readonly attach?: { readonly [driver: string]: number | 'any' }
}

export type PodGiven = {
  /** With a count, the pods are named `<name>-1`, `<name>-2` and so on. */
  readonly count?: number
  readonly asks?: Amounts
  readonly containers?: readonly Amounts[]
  /** Init containers in the order in which they run. A sidecar keeps running. */
  readonly start?: readonly { readonly init?: Amounts; readonly sidecar?: Amounts }[]
  readonly podLevel?: Amounts
  readonly overhead?: Amounts
  /** Labels beside `app=<name>`, which every pod has. */
  readonly labels?: string
  readonly namespace?: string
  /** Node selector: `'zone=z2 arch=arm64'`. */
  readonly select?: string
  /** Required node affinity. Several texts are alternatives. */
  readonly needs?: string | readonly string[]
  /** Preferred node affinity: terms with weights, or one term. */
  readonly prefers?: string | { readonly [term: string]: number }
  /** `'team=a:NoSchedule'`, `'team'` for any value, `'*'` for everything. */
  readonly tolerates?: string
  /** A key alone stands for skew 1, the pod's own `app`, and DoNotSchedule. */
  readonly spread?: string | readonly SpreadGiven[]
  /** Required affinity: `'app=db over zone'`. All terms of a list must hold. */
  readonly near?: string | readonly AffinityGiven[]
  readonly apart?: string | readonly AffinityGiven[]
  /** Preferred affinity: terms with weights. A term alone has weight 1. */
  readonly preferNear?: string | { readonly [term: string]: number }
  readonly preferApart?: string | { readonly [term: string]: number }
  /** `'80'`, `'80/UDP'`, `'80@10.0.0.1'`. */
  readonly ports?: string
  /** Names of volume claims. */
  readonly mounts?: string
  /** Maps ephemeral volumes to storage classes. Null: the default class. */
  readonly ephemeral?: { readonly [volume: string]: string | null }
  /** The node that the pod is bound to. */
  readonly on?: string
  /** The node that kube-scheduler has nominated the pod for, at the time of `over.nominatedAt`. Absent: now. */
  readonly nominated?: string
  readonly owner?: Pod['owner'] | null
  readonly age?: number
  /** kube-scheduler has not reported the pod as unschedulable. */
  readonly untried?: true
  readonly over?: Partial<Pod>
}

export type SpreadGiven = {
  readonly over: string
  readonly skew?: number
  /** The selector. Null: no selector at all. */
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
  /** Its access mode is ReadWriteOncePod. */
  readonly once?: true
  /** The node that kube-scheduler has chosen for its volume. */
  readonly selected?: string
  /** What an existing volume must have for it: storage in bytes, access modes separated by spaces. */
  readonly asks?: { readonly storage?: number; readonly modes?: string; readonly block?: true; readonly selector?: string }
}
export type VolumeGiven = {
  readonly needs?: string | readonly string[]
  readonly driver?: string
  readonly deleting?: true
  readonly onHost?: true
  /** What it offers claims of its class. Without it, the volume is not available. */
  readonly offers?: {
    readonly class: string
    readonly storage?: number
    readonly modes?: string
    readonly block?: true
    readonly labels?: string
    readonly claim?: string
    readonly claimUid?: string
  }
}
export type ClassGiven = {
  /** Zones of the class, as alternatives. */
  readonly zones?: readonly string[]
  readonly driver?: string
  readonly immediate?: true
  /** The age rank among default classes. The newest one, with the largest rank, wins. */
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

/** Only the named fields are checked. But every pod without a place must be in `unplaced`. */
export type Want = {
  /** The number of new machines, or a description of each. */
  readonly claims?: number | readonly ClaimWant[]
  /** A description that holds for every new machine. */
  readonly every?: ClaimWant
  /** The number of machines, new and existing, that get pods of this step. */
  readonly nodes?: number
  /** The pods that an existing node gets, by name or number. */
  readonly on?: { readonly [node: string]: string | number }
  /** Pods or groups without a place, by code. With a number: this many pods of the group. */
  readonly unplaced?: { readonly [name: string]: ProblemCode | readonly [ProblemCode, number] }
  /** Any pod may be without a place: first fit does not backtrack. */
  readonly someUnplaced?: true
  /** The numbers of living pods of an app by domain, in any order. The key is for example `'zone web'`. */
  readonly skew?: { readonly [keyAndGroup: string]: readonly number[] }
  /** The largest number of pods of an app in one domain. */
  readonly fullest?: { readonly [keyAndGroup: string]: number }
  /** The largest difference of counts between domains with pods of an app. */
  readonly level?: { readonly [keyAndGroup: string]: number }
  /** Pods on the same machine, one list for each machine. */
  readonly together?: readonly string[]
  /** The price of all new machines in dollars per hour: exact, or an upper bound. */
  readonly price?: number
  readonly priceAtMost?: number
  /** Part of the message of one of the refused pods. */
  readonly says?: string
}

export type ClaimWant = {
  readonly times?: number
  /** Names of the pods, or their number. */
  readonly pods?: number | string
  readonly pool?: string
  /** The size of the machine. */
  readonly type?: string
  /** Every size that the claim may become, in any order. */
  readonly types?: string
  /** Words that the name of every possible size contains. */
  readonly typesLike?: string
  /** The least number of sizes that the claim may become. */
  readonly typesAtLeast?: number
  /** Every zone, or capacity type, that the claim may get. */
  readonly zone?: string
  readonly capacity?: string
  /** Labels of the machine. */
  readonly labels?: string
  /** Keys of labels that the machine does not have. */
  readonly without?: string
  /** Keys of labels that the machine has, with any value. */
  readonly has?: string
  /** Keys of labels that the claim itself does not have. */
  readonly unlabelled?: string
  readonly grace?: number | null
  readonly taints?: string
  readonly requests?: Amounts
  readonly annotations?: Labels
  /** Requirements of the claim, each as a whole line. The claim may have others. */
  readonly needs?: string
}
