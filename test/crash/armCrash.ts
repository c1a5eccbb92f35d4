// The simulation with machines on the local ARM: the real adapter of Azure calls it over HTTP, and a process can die at any of its calls.

import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { providerIdOf } from '../../shared/adapters/azure/machines/instanceOf.ts'
import type { MemoryProcess } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { ProcessKilled } from '../../shared/adapters/memory/writeJournal.ts'
import { claimOfInstanceName, DEFAULT_MACHINE_NAMES, nodeName, zoneName } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { durationMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { candidateOf, REAL_CLOCK, SIGNAL, SILENT, startHarness, typeNamed } from '../azure/harness.ts'
import { nodeClass } from '../builders/nodeClass.ts'
import { createSimulation, type Simulation, START } from './simulation.ts'

/** The n-th call of a process to Azure, from 1, and whether it takes effect before the process dies. */
export type Strike = { readonly n: number; readonly when: 'before' | 'after' }

export type ArmCrash = {
  readonly simulation: Simulation
  readonly azure: Harness['azure']
  /** Lets the process die at this call, counted from now on. */
  readonly strike: (at: Strike) => void
  /** The calls so far, in words. */
  readonly calls: () => readonly string[]
  /** The processes that died at a call. */
  readonly deaths: () => number
  /** The machines that were seen on Azure so far. */
  readonly machinesEver: () => number
}

type Harness = Awaited<ReturnType<typeof startHarness>>

/** Sizes with room for one pod of the stories. Each is sold on demand and as spot, in zones. */
const SIZES = ['Standard_D2as_v6', 'Standard_D2ads_v6', 'Standard_D2s_v5']

/** How much faster Azure is than the clock on the wall. */
const SPEED = 10_000

/** Starts Azure once for many plays. */
export async function startArm() {
  const harness = await startHarness({ speed: SPEED }, { id: 'test' })
  await harness.catalog.refresh(SIGNAL)
  const sold = await harness.catalog.instanceTypes(nodeClass(), SIGNAL)
  const instanceTypes = SIZES.map((name) => typeNamed(sold, name))
  return { ...harness, instanceTypes, play: () => createArmCrash(harness, instanceTypes) }
}

/** A new cluster on the emulated Azure, which must have no machine. Machines end when the play ends them. */
function createArmCrash(harness: Harness, instanceTypes: readonly InstanceType[]): ArmCrash {
  const { azure } = harness
  let living: Pick<MemoryProcess, 'kill'> | undefined
  let deaths = 0
  const machinesEver = new Set<string>()
  azure.script.clear()
  azure.requests.clear()
  const clock = createVirtualClock(START)
  const simulation: Simulation = createSimulation({
    clock,
    instanceTypes,
    between: (deps, process) => {
      living = process
      return { ...deps, limits: LIMITS, cloud: cloudOf(harness, process, clock) }
    },
    workload: () => {
      for (const { vmId } of azure.state().vms) machinesEver.add(vmId)
      mirrorMachines(simulation, harness, instanceTypes)
    },
  })
  const die = (): void => {
    deaths += 1
    living?.kill()
  }
  return {
    simulation,
    azure,
    strike: ({ n, when }) => azure.script.http({ skip: n - 1, times: 1, drop: when, struck: die }),
    calls: () => azure.requests.all().map(({ method, type, status }) => `${method} ${type} ${status}`),
    deaths: () => deaths,
    machinesEver: () => machinesEver.size,
  }
}

/** The grace of the garbage collection, short, so that plays are. */
export const GC_GRACE_MS = durationMs(60_000)
const LIMITS = { launchLock: durationMs(30_000), gcGrace: GC_GRACE_MS, gcDrain: durationMs(60_000) }

/** The adapter of one process. A dead process gets no token, each call asks for one, and none is sent again: a dead process calls Azure no more. */
function cloudOf({ azure, config, arm, catalog }: Harness, process: Pick<MemoryProcess, 'isAlive'>, clock: Simulation['clock']) {
  const credential = {
    getToken: async () => {
      if (!process.isAlive()) throw new ProcessKilled('a dead process called Azure')
      const token = await azure.issueToken({ audience: 'https://management.azure.com', oid: 'o1', appid: 'a1' })
      return { token, expiresOnTimestamp: Date.now() }
    },
  }
  // Virtual time stands still while a call is under way, and Azure's does not.
  const ofAzure: Clock = { now: clock.now, sleep: (ms, signal) => REAL_CLOCK.sleep(ms / SPEED, signal) }
  return createCloudProvider({ config, credential, arm: { ...arm, maxRetries: 0 }, sizes: catalog, clock: ofAzure, telemetry: SILENT })
}

/**
 * Shows the machines of Azure to the rest of the simulation: to its kubelets, which join once a guest runs with the token in its boot data, and to the
 * controller of nodes.
 */
function mirrorMachines({ world, clock }: Simulation, { azure, config }: Harness, types: readonly InstanceType[]): void {
  const { vms } = azure.state()
  for (const { claim, instance } of world.machines.all())
    if (!vms.some(({ name }) => name === instance.name)) world.machines.lose(claim.name)
  for (const { name, size, zone, priority, isBooted, customData } of vms) {
    const claim = claimOf(world, name)
    if (!isBooted || claim === undefined || world.machines.find(name) !== undefined) continue
    const type = typeNamed(types, size)
    const capacityType = priority === 'Spot' ? 'spot' : 'on-demand'
    const candidate = candidateOf(type, { capacityType, ...(zone === undefined ? {} : { zone: zoneName(`${azure.location}-${zone}`) }) })
    const now = clock.now()
    const shown = { name: nodeName(name), claim: claim.name, providerId: providerIdOf(config, name), tags: {}, createdAt: now }
    world.machines.add({
      instance: { ...shown, ...candidate.choice, imageId: '', kubernetesVersion: '1.34.1' },
      claim,
      candidate,
      bootstrapToken: tokenIn(customData),
      createdAt: now,
      runningAt: now,
    })
  }
}

function claimOf({ objects }: Simulation['world'], machine: string): NodeClaim | undefined {
  const name = claimOfInstanceName(machine, DEFAULT_MACHINE_NAMES)
  return name === undefined ? undefined : objects.get('nodeClaim', name)
}

function tokenIn(customData: string): string {
  const script = Buffer.from(customData, 'base64').toString()
  return /TLS_BOOTSTRAP_TOKEN='([^']*)'/.exec(script)?.[1] ?? ''
}
