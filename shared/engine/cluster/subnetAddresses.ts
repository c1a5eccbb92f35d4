/** Counts the machines for which a decision asks each subnet for addresses. */
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../model/decision.ts'

type Rooms = NonNullable<ClusterSnapshot['subnetRooms']>
type Drafted = Pick<CreateClaim['draft'], 'spec'>

export interface SubnetAddresses {
  /** The subnet that has too few addresses for all of these claims together. Undefined if each has enough, or if it is not known. */
  fullFor(drafts: readonly Drafted[]): string | undefined
  take(drafts: readonly Drafted[]): void
  /** Returns a function that takes back all that is taken after this call. */
  mark(): () => void
}

export function createAddresses(rooms: Rooms = new Map()): SubnetAddresses {
  let taken = new Map<string, number>()
  const subnetOf = ({ spec }: Drafted): string | undefined => rooms.get(spec.nodeClassRef.name)?.subnet
  return {
    fullFor(drafts) {
      const bySubnet = Map.groupBy(drafts, subnetOf)
      for (const { subnet, machines } of rooms.values()) {
        const asked = bySubnet.get(subnet)?.length ?? 0
        if (asked > 0 && (taken.get(subnet) ?? 0) + asked > machines) return subnet
      }
      return undefined
    },
    take(drafts) {
      taken = new Map(taken)
      for (const draft of drafts) {
        const subnet = subnetOf(draft)
        if (subnet !== undefined) taken.set(subnet, (taken.get(subnet) ?? 0) + 1)
      }
    },
    mark() {
      const before = taken
      return () => {
        taken = before
      }
    },
  }
}

/** The snapshot as the rest of a decision may use it: without the addresses of the claims that these parts of it make. */
export function withoutAddressesOf<Snapshot extends Pick<ClusterSnapshot, 'subnetRooms'>>(
  snapshot: Snapshot,
  ...decisions: readonly Pick<Decision, 'actions'>[]
): Snapshot {
  const { subnetRooms } = snapshot
  const drafts = decisions.flatMap(({ actions }) => actions).flatMap((action) => (action.kind === 'createClaim' ? [action.draft] : []))
  if (subnetRooms === undefined || drafts.length === 0) return snapshot
  const made = Map.groupBy(drafts, ({ spec }) => subnetRooms.get(spec.nodeClassRef.name)?.subnet)
  const left = [...subnetRooms].map(
    ([name, { subnet, machines }]) => [name, { subnet, machines: Math.max(0, machines - (made.get(subnet)?.length ?? 0)) }] as const,
  )
  return { ...snapshot, subnetRooms: new Map(left) }
}
