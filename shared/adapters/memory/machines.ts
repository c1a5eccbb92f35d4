import { byKey } from '../../base/lists.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Instance, LaunchCandidate, LaunchChoice, LaunchRefusal } from '../../model/instance.ts'
import { zoneText } from '../../model/inWords.ts'
import type { Labels } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OrphanInterface } from '../../ports/cloudProvider.ts'

/** A machine as in Azure, with the boot data of its disk. */
export type Machine = {
  readonly instance: Omit<Instance, 'state'>
  readonly claim: NodeClaim
  readonly candidate: LaunchCandidate
  readonly bootstrapToken: string
  readonly createdAt: EpochMs
  readonly runningAt: EpochMs
  /** Why the machine failed after Azure had accepted the request. */
  readonly failure?: LaunchRefusal
  /** The last restart: the boot that it leads to, and when the machine is up again. Undefined if there was none. */
  restarted?: { readonly boot: number; readonly upAt: EpochMs }
  goneAt?: EpochMs
}

/** The launches that a script is about. Absent members match everything. */
export type ChoiceMatch = Partial<Pick<LaunchChoice, 'size' | 'zone' | 'capacityType'>>
/** The stage at which Azure refuses: the request for the interface, the request for the machine, or after it accepted both. */
export type RefusalStage = 'interface' | 'machine' | 'boot'

type Script = {
  readonly match: ChoiceMatch
  readonly stage: RefusalStage
  readonly refusal: (choice: LaunchChoice) => LaunchRefusal
  left: number
}

/** The machines and network interfaces of a subscription, and the scripts of its refusals. */
export type Machines = {
  /** Returns all machines that still exist, sorted by name. */
  all(): readonly Machine[]
  find(name: string): Machine | undefined
  state(machine: Machine): Instance
  readonly interfaces: Map<string, OrphanInterface>
  /** Tags by `vm/<name>` and `nic/<name>`. */
  readonly tags: Map<string, Labels>
  /** Ids of subnets that a NodeClass may name but that do not exist. */
  readonly missingSubnets: Set<string>
  /** For how many machines a subnet had room at a time, by the id that a NodeClass names, or undefined for that of the cluster. */
  readonly subnetRooms: Map<string | undefined, { readonly machines: number; readonly at: EpochMs }>
  /** Why the disk encryption set of the cluster cannot be used. */
  readonly encryption: { problem?: Problem | undefined }
  /** How restarts go. `problem`: the right is missing. `refusal`: this machine is not restarted. `takesMs`: until a machine is up again. */
  readonly restarts: { problem?: Problem | undefined; refusal?: Problem | undefined; takesMs: number }
  add(machine: Machine): void
  end(name: string): void
  /** Refuses matching launches from now on, `times` times. */
  refuse(
    match: ChoiceMatch,
    script?: { readonly stage?: RefusalStage; readonly times?: number; readonly refusal?: (choice: LaunchChoice) => LaunchRefusal },
  ): void
  /** Takes the next refusal for this launch from the scripts. Undefined if no script matches. */
  refusalOf(choice: LaunchChoice, stage: RefusalStage): LaunchRefusal | undefined
  /** Removes the machine of a claim, as a spot eviction or a deletion by hand does. The network interface stays. */
  lose(claim: NodeClaimName): void
  readonly bootMs: number
}

const BLOCKED_MS = durationMs(180_000)

type Pace = { readonly clock: Clock; readonly bootMs: number; readonly deleteMs: number }

export function createMachines({ clock, bootMs, deleteMs }: Pace): Machines {
  const machines = new Map<string, Machine>()
  const interfaces = new Map<string, OrphanInterface>()
  const scripts: Script[] = []
  const ending = new Set<string>()
  let ordered: readonly Machine[] | undefined

  function remove(name: string): void {
    machines.delete(name)
    ending.delete(name)
    ordered = undefined
  }

  function sweep(): void {
    for (const name of ending) {
      if ((machines.get(name)?.goneAt ?? 0) > clock.now()) continue
      remove(name)
      interfaces.delete(name)
    }
  }

  return {
    bootMs,
    interfaces,
    tags: new Map(),
    missingSubnets: new Set(),
    subnetRooms: new Map(),
    ...{ encryption: {}, restarts: { takesMs: bootMs } },
    all: () => {
      sweep()
      ordered ??= [...machines.values()].sort(byKey((machine) => machine.instance.name))
      return ordered
    },
    find: (name) => {
      sweep()
      return machines.get(name)
    },
    state: (machine) => ({ ...machine.instance, state: stateOf(machine, clock.now()) }),
    add: (machine) => {
      machines.set(machine.instance.name, machine)
      ordered = undefined
    },
    end: (name) => {
      const machine = machines.get(name)
      if (machine !== undefined) {
        machine.goneAt ??= epochMs(clock.now() + deleteMs)
        ending.add(name)
      }
      sweep()
    },
    refuse: (match, { stage = 'machine', times = Number.POSITIVE_INFINITY, refusal } = {}) =>
      void scripts.push({ match, stage, refusal: refusal ?? ((choice) => noCapacity(choice, clock.now())), left: times }),
    refusalOf: (choice, stage) => {
      const script = scripts.find((each) => each.stage === stage && each.left > 0 && isAbout(each.match, choice))
      if (script === undefined) return undefined
      script.left -= 1
      return script.refusal(choice)
    },
    lose: (claim) => {
      for (const [name, machine] of machines) if (machine.claim.name === claim) remove(name)
    },
  }
}

/** A refusal for lack of capacity, which blocks the choice for three minutes. */
function noCapacity({ size, zone, capacityType }: LaunchChoice, now: EpochMs): LaunchRefusal {
  const message = `no capacity for ${size} in ${zoneText(zone)} as ${capacityType}`
  const code = 'AZURE.ALLOCATION.ZONE'
  const scope = { kind: 'offering', size, zone, capacityType } as const
  return { problem: problem(code, message), unavailable: [{ scope, until: later(now, BLOCKED_MS), code, message }], then: 'next' }
}

function isAbout(match: ChoiceMatch, choice: LaunchChoice): boolean {
  const { size = choice.size, zone = choice.zone, capacityType = choice.capacityType } = match
  return size === choice.size && zone === choice.zone && capacityType === choice.capacityType
}

function stateOf({ goneAt, failure, runningAt }: Machine, now: EpochMs): Instance['state'] {
  if (goneAt !== undefined) return { kind: 'deleting' }
  if (now < runningAt) return { kind: 'creating' }
  return failure === undefined ? { kind: 'running' } : { kind: 'failed', refusal: failure }
}
