import { err, ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { instanceNameOf, instanceNamesOf, type MachineNames, type NodeClaimName, nodePoolName, providerId } from '../../model/ids.ts'
import { changedTags, type Instance, type LaunchRefusal } from '../../model/instance.ts'
import { LABEL } from '../../model/labels.ts'
import { problem } from '../../model/problem.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { CloudProvider, LaunchRequest, TagRequest } from '../../ports/cloudProvider.ts'
import type { Connection } from './connection.ts'
import type { Machine, Machines } from './machines.ts'

const RESOURCE_GROUP = 'azure:///subscriptions/memory/resourceGroups/mc_memory/providers/Microsoft.Compute/virtualMachines'

type Context = { readonly machines: Machines; readonly names: MachineNames; readonly clock: Clock; readonly connection: Connection }

const NOT_RUNNING = problem('AZURE.FAILED', 'OperationNotAllowed: The operation requires the VM to be running (or set to run).')

/** How old the state of a machine that is made or runs may be if a call allows it. */
const RECENT_MS = 2_000

/** A cloud provider in memory. Network interface and machine are two writes, as in Azure, so a process may die between them. */
export function createMemoryCloudProvider(machines: Machines, names: MachineNames, clock: Clock, connection: Connection): CloudProvider {
  const context: Context = { machines, names, clock, connection }
  const { read, write } = connection
  const recent = new Map<NodeClaimName, { readonly at: EpochMs; readonly alive: Instance }>()
  return {
    launch: (request, signal) => launch(context, request, signal),
    async get(claim, signal, asOf) {
      const now = clock.now()
      const before = asOf === 'recent' ? recent.get(claim) : undefined
      const read = () => (before !== undefined && now < before.at + RECENT_MS ? before.alive : stateOf(machines, machineOf(context, claim)))
      const found = await connection.read('cloud.get', `vm/${instanceNameOf(claim, names)}`, signal, read)
      const isAlive = found !== undefined && (found.state.kind === 'creating' || found.state.kind === 'running')
      if (isAlive && found !== before?.alive) recent.set(claim, { at: now, alive: found })
      return found
    },
    list: (signal) => read('cloud.list', 'vms', signal, () => machines.all().map(machines.state)),
    terminate: (claim, signal) => {
      const name = machineOf(context, claim)?.instance.name ?? instanceNameOf(claim, names)
      return write('cloud.terminate', `vm/${name}`, signal, () => {
        machines.end(name)
        if (machines.find(name) !== undefined) return 'terminating'
        for (const each of instanceNamesOf(claim, names)) machines.interfaces.delete(each)
        return 'gone'
      })
    },
    async restart(claim, signal) {
      // The machine is looked up first, so that a call to a machine that is gone is no write.
      const machine = await read('cloud.get', `vm/${instanceNameOf(claim, names)}`, signal, () => machineOf(context, claim))
      if (machine === undefined) return ok('gone')
      const { problem: missing, refusal } = machines.restarts
      if (missing !== undefined || refusal !== undefined) return err(missing ?? refusal ?? NOT_RUNNING)
      return write('cloud.restart', `vm/${machine.instance.name}`, signal, () => {
        if (machines.state(machine).state.kind !== 'running') return err(NOT_RUNNING)
        machine.restarted = { boot: (machine.restarted?.boot ?? 1) + 1, upAt: epochMs(clock.now() + machines.restarts.takesMs) }
        return ok('restarting' as const)
      })
    },
    restartProblem: (signal) => read('cloud.restartProblem', 'vms', signal, () => machines.restarts.problem),
    listOrphanInterfaces: (signal) =>
      read('cloud.listOrphanInterfaces', 'nics', signal, () =>
        [...machines.interfaces.values()].filter(({ name }) => machines.find(name) === undefined),
      ),
    deleteInterface: (name, signal) =>
      write('cloud.deleteInterface', `nic/${name}`, signal, () => {
        if (machines.find(name) === undefined) machines.interfaces.delete(name)
      }),
    updateTags: (request, signal) => updateTags(context, request, signal),
    encryptionProblem: (signal) => read('cloud.encryptionProblem', 'diskEncryptionSet', signal, () => machines.encryption.problem),
    subnetState: ({ spec }, signal) =>
      read('cloud.subnetState', `subnet/${spec.vnetSubnetId}`, signal, () => {
        if (spec.vnetSubnetId !== undefined && machines.missingSubnets.has(spec.vnetSubnetId))
          return { problem: problem('AZURE.NOT_FOUND', `spec.vnetSubnetID ${spec.vnetSubnetId} does not exist in Azure`) }
        const room = machines.subnetRooms.get(spec.vnetSubnetId)
        return room === undefined ? {} : { room: { subnet: spec.vnetSubnetId ?? 'of the cluster', ...room } }
      }),
  }
}

async function launch(context: Context, request: LaunchRequest, signal: AbortSignalLike): Promise<Result<Instance, LaunchRefusal>> {
  const { machines, names, clock, connection } = context
  const { claim, candidate } = request
  const name = instanceNameOf(claim.name, names)
  const earlier = await connection.read('cloud.get', `vm/${name}`, signal, () => stateOf(machines, machineOf(context, claim.name)))
  if (earlier !== undefined) return ok(earlier)
  const startedAt = clock.now()
  const bootstrapToken = await request.bootstrapToken()
  const refused = await connection.write('cloud.createInterface', `nic/${name}`, signal, () => {
    const refusal = machines.refusalOf(candidate.choice, 'interface')
    if (refusal !== undefined) return err(refusal)
    machines.interfaces.set(name, { name, claim: claim.name, createdAt: clock.now() })
    machines.tags.set(`nic/${name}`, request.nodeClass.spec.tags)
    return ok(undefined)
  })
  if (!refused.ok) return refused
  const interfaceAt = clock.now()
  request.made?.('nic', startedAt)
  const made = await connection.write('cloud.createMachine', `vm/${name}`, signal, () => createMachine(context, request, bootstrapToken))
  if (made.ok) {
    request.made?.('vm', interfaceAt)
    return made
  }
  // The interface stays for the next try of the claim.
  if (made.error.then !== 'stop') return made
  await connection.write('cloud.deleteInterface', `nic/${name}`, signal, () => {
    if (machines.find(name) === undefined) machines.interfaces.delete(name)
  })
  return made
}

/** Creates a machine, or returns the machine with that name if it was created meanwhile. */
function createMachine(
  { machines, names, clock }: Context,
  { claim, candidate, nodeClass }: LaunchRequest,
  bootstrapToken: string,
): Result<Instance, LaunchRefusal> {
  const name = instanceNameOf(claim.name, names)
  const earlier = machines.find(name)
  if (earlier !== undefined) return ok(machines.state(earlier))
  const { choice } = candidate
  const refusal = machines.refusalOf(choice, 'machine')
  if (refusal !== undefined) return err(refusal)
  const pool = claim.meta.labels[LABEL.nodePool]
  const now = clock.now()
  const instance = {
    name,
    claim: claim.name,
    providerId: providerId(`${RESOURCE_GROUP}/${name}`),
    size: choice.size,
    zone: choice.zone,
    capacityType: choice.capacityType,
    imageId: nodeClass.status.images[0]?.id ?? 'memory-image',
    createdAt: now,
    tags: nodeClass.spec.tags,
    ...defined({ nodePool: pool === undefined ? undefined : nodePoolName(pool), kubernetesVersion: nodeClass.status.kubernetesVersion }),
  }
  const timing = { createdAt: now, runningAt: epochMs(now + machines.bootMs) }
  const machine: Machine = {
    instance,
    claim,
    candidate,
    bootstrapToken,
    ...timing,
    ...defined({ failure: machines.refusalOf(choice, 'boot') }),
  }
  machines.add(machine)
  machines.tags.set(`vm/${name}`, nodeClass.spec.tags)
  return ok(machines.state(machine))
}

/** Interface and machine are two writes, as in Azure. Each is left out if it has its tags. */
async function updateTags(
  context: Context,
  { claim, nodeClass, before }: TagRequest,
  signal: AbortSignalLike,
): Promise<'updated' | 'gone'> {
  const { machines, connection } = context
  const machine = await connection.read('cloud.get', `vm/${claim.name}`, signal, () => machineOf(context, claim.name))
  if (machine === undefined) return 'gone'
  const { name } = machine.instance
  for (const [operation, object] of [
    ['cloud.tagInterface', `nic/${name}`],
    ['cloud.tagMachine', `vm/${name}`],
  ] as const) {
    const after = changedTags(machines.tags.get(object) ?? {}, { wanted: nodeClass.spec.tags, before })
    if (after !== undefined) await connection.write(operation, object, signal, () => void machines.tags.set(object, after))
  }
  return 'updated'
}

/** The machine of the claim, under any name that it may have. */
function machineOf({ machines, names }: Context, claim: NodeClaimName): Machine | undefined {
  return instanceNamesOf(claim, names)
    .map((name) => machines.find(name))
    .find((machine) => machine !== undefined)
}

function stateOf(machines: Machines, machine: Machine | undefined): Instance | undefined {
  return machine === undefined ? undefined : machines.state(machine)
}
