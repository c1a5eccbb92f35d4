/** What a machine has room for, and why it refuses pods: the same filters for an existing node, one instance type and all of a NodePool. */
import type { ObjectKey } from '../../../model/ids.ts'
import { type HostPort, type Pod, refOf } from '../../../model/pod.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { daemonAntiAffinityOn } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { Batch } from '../model/placementProblem.ts'
import { portsClash } from '../model/pods/admission.ts'
import type { Constraint } from '../model/pods/constraint.ts'
import { type Amounts, type Axes, fits } from '../model/quantities/amounts.ts'
import { claimForms, claimNames, type DraftedClaim, draftClaim } from './claimForm.ts'
import { tooSmall, type Verdict } from './verdict.ts'

/** The room of one machine: of an existing node, or of a new node of one instance type. */
export type Room = {
  /** What is left for pods, on the axes of the decision. */
  readonly free: Amounts
  /** The DaemonSets do not request more than the machine has. */
  readonly isUsable: boolean
  /** Host ports that are in use, or that pods of DaemonSets will use. */
  readonly ports: readonly HostPort[]
  /** The part of them that pods of DaemonSets will use. */
  readonly daemonPorts: readonly HostPort[]
  /** DaemonSets whose pods will run on the machine. Of an existing node: DaemonSets whose pods do not run there yet. */
  readonly daemonSets: readonly ObjectKey[]
}

/** What pods need together of one machine, beside the DaemonSets of the machine. */
export type Load = {
  readonly total: Amounts
  readonly ports: readonly HostPort[]
  /** One entry for each pod: the DaemonSets that required anti-affinity keeps it apart from, its own or theirs. */
  readonly pods: readonly Pick<Constraint, 'apartFrom'>[]
}

/** Why a machine has no room. */
export type RoomVerdict = Extract<Verdict, { readonly kind: 'daemons' | 'amount' | 'disks' | 'atOnce' | 'ports' | 'daemonNeighbours' }>

/** The room of an existing node. `isUsable` is true, since a plan leaves out nodes whose DaemonSets request more than the node has. */
export function roomOnNode({ free, ports, daemonsToCome }: ExistingNode): Room {
  const daemonPorts = daemonsToCome.flatMap(({ hostPorts }) => hostPorts)
  return { free, isUsable: true, ports, daemonPorts, daemonSets: daemonsToCome.map(({ key }) => key) }
}

/** The room of a new node of the instance type, and the instance type. */
export function roomOnInstanceType(size: InstanceTypeOption): Room & { readonly size: InstanceTypeOption } {
  const { free, isUsable, daemonPorts, daemonSets } = size
  return { size, free, isUsable, ports: daemonPorts, daemonPorts, daemonSets }
}

/** The verdict of the first filter that the machine does not pass. Undefined if there is room. */
export function roomVerdict(room: Room, load: Load, axes: Axes): RoomVerdict | undefined {
  const found = passFilters([room], load, axes)
  return 'verdict' in found ? found.verdict : undefined
}

/** The rooms that pass every filter, or the verdict of the first filter that none of the rooms passes. The verdict counts instance types. */
export function roomsFor<Each extends Room>(rooms: readonly Each[], load: Load, axes: Axes): Left<Each> | Refused {
  const found = passFilters(rooms, load, axes)
  if (!('verdict' in found)) return found
  const { verdict } = found
  const isCounted = verdict.kind === 'daemons' || verdict.kind === 'amount' || verdict.kind === 'disks'
  return { verdict: isCounted ? { ...verdict, instanceTypes: rooms.length } : verdict }
}

type Left<Each> = { readonly left: readonly Each[] }

type Refused = { readonly verdict: RoomVerdict }

function passFilters<Each extends Room>(rooms: readonly Each[], load: Load, axes: Axes): Left<Each> | Refused {
  let left = rooms
  for (const { passes, verdict } of FILTERS) {
    const passing = left.filter((room) => passes(room, load))
    if (passing.length === 0) return { verdict: verdict({ left, rooms, load, axes }) }
    left = passing
  }
  return { left }
}

type RoomFilter = {
  readonly passes: (room: Room, load: Load) => boolean
  /** The verdict if none of the rooms that are left passes. */
  readonly verdict: (refused: RefusedRooms) => RoomVerdict
}

/** `left`: the rooms that passed the filters before. `rooms`: all of them. */
type RefusedRooms = { readonly left: readonly Room[]; readonly rooms: readonly Room[]; readonly load: Load; readonly axes: Axes }

/** In the order in which they are applied. As in kube-scheduler, the first filter that leaves nothing gives the reason. */
const FILTERS: readonly RoomFilter[] = [
  { passes: ({ isUsable }) => isUsable, verdict: () => ({ kind: 'daemons' }) },
  {
    passes: ({ free }, { total }) => fits(total, free),
    verdict: ({ rooms, load, axes }) => tooSmall(rooms, load.total, axes),
  },
  {
    passes: ({ ports }, load) => !portsClash(ports, load.ports),
    verdict: ({ left, load }) => {
      const taken = load.ports.filter((port) => left.some(({ ports }) => portsClash(ports, [port])))
      const isDaemons = left.some(({ daemonPorts }) => portsClash(daemonPorts, taken))
      return { kind: 'ports', ports: taken.map(({ port }) => port), takenBy: isDaemons ? 'daemons' : 'pods' }
    },
  },
  {
    passes: (room, load) => daemonSetsApart(room, load).length === 0,
    verdict: ({ left, load }) => ({
      kind: 'daemonNeighbours',
      daemonSets: [...new Set(left.flatMap((room) => daemonSetsApart(room, load)))],
    }),
  },
]

function daemonSetsApart(room: Room, { pods }: Load): readonly ObjectKey[] {
  return pods.flatMap((each) => daemonAntiAffinityOn(room, each))
}

/** A bin with its pods, and the claim that it becomes. The claim names only real pods, not pods that stand for the room of a CapacityBuffer. */
export type FilledBin = { readonly bin: Bin; readonly pods: readonly Pod[]; readonly drafted: DraftedClaim }

/** Tells the pods of a plan from pods that stand for the room of a CapacityBuffer. */
export type Kinds = Pick<Batch, 'isReal' | 'buffersOf'>

/** The bins of the plan that pods were assigned to. */
export function filledBins({ problem, plan, assigned }: Provisioning, { isReal, buffersOf }: Kinds): readonly FilledBin[] {
  const { context, isTaken } = problem
  const nameOf = claimNames(context, isTaken)
  const formOf = claimForms(context)
  const { inBins } = assigned()
  return plan.bins.flatMap((bin, index) => {
    const pods = inBins.get(bin) ?? []
    if (pods.length === 0) return []
    const named = { pods: pods.filter(isReal).map(refOf), buffers: buffersOf(pods) }
    return [{ bin, pods, drafted: draftClaim(bin, formOf(bin), nameOf(bin.narrowedTemplate.template.pool.name, index), named, context) }]
  })
}
