import type { RuntimeOptions } from '../../functions/clusterRuntime.ts'
import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createBlobStore } from '../../shared/adapters/storage/blobStore.ts'
import { createClusterLog } from '../../shared/adapters/storage/clusterLog.ts'
import { createDecisionStore } from '../../shared/adapters/storage/decisionStore.ts'
import { createLease } from '../../shared/adapters/storage/lease.ts'
import { createLedgerStore } from '../../shared/adapters/storage/ledgerStore.ts'
import { createOfferingStore } from '../../shared/adapters/storage/offeringStore.ts'
import { ok } from '../../shared/base/result.ts'
import type { ClusterId } from '../../shared/model/ids.ts'
import type { Lease } from '../../shared/ports/lease.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { createCountedContainer } from './countedContainer.ts'
import type { Counts } from './counts.ts'

const SIGNAL = new AbortController().signal
/** How long the adapters of Azure use what they read of the facts and the catalog, before they check it again. */
const RECHECK_MS = 30_000

/** Counts the calls to the outside that are under way. Time stands still until they are answered. */
export function createBusy() {
  let calls = 0
  async function during<Value>(call: Promise<Value>): Promise<Value> {
    calls++
    try {
      return await call
    } finally {
      calls--
    }
  }
  return {
    during,
    /** Returns the same port, with its calls counted. */
    port<Port extends object>(port: Port): Port {
      const calls = Object.entries(port).map(([name, call]) => [
        name,
        typeof call === 'function' ? (...input: unknown[]) => during(Promise.resolve(call(...input))) : call,
      ])
      return Object.fromEntries(calls) as Port
    },
    async quiet() {
      for (let calm = 0; calm < 3; calm++) {
        await new Promise((resolve) => void setImmediate(resolve))
        if (calls > 0) calm = -1
      }
    },
  }
}

type Stored = {
  readonly cluster: ClusterId
  readonly connectionString: string
  readonly container: string
  readonly storage: Counts
  readonly busy: ReturnType<typeof createBusy>
}

/** Returns ports that keep their state in storage through the real adapters. Azure and the API server are in memory. */
export async function storedDeps(world: MemoryWorld, { cluster, connectionString, container: name, storage, busy }: Stored) {
  const { clock, ports } = world
  const container = createCountedContainer(connectionString, name, storage)
  await container.create()
  const { telemetry } = ports
  const blobs = createBlobStore(container)
  const recheck = async (paths: readonly string[]): Promise<void> => {
    await Promise.all(paths.map((path) => blobs.read(path, SIGNAL)))
  }
  const facts = rechecked(clock.now, () => recheck([`clusters/${cluster}/facts`]))
  const sizes = rechecked(clock.now, () => recheck(['sizes', 'prices', 'quota'].map((part) => `regions/r/${part}`)))
  const deps: RuntimeOptions['deps'] = {
    ...ports,
    settings: settings(),
    log: busy.port(createClusterLog(container, cluster, { clock, telemetry })),
    ledger: busy.port(createLedgerStore(container, cluster)),
    lease: waitedFor(createLease(container, cluster, { clock }), busy),
    decisions: busy.port(createDecisionStore(container, cluster, { telemetry })),
    offerings: busy.port(createOfferingStore({ blobs, region: 'regions/r', telemetry, clock, random: () => 0.5 })),
    catalog: busy.port({
      ...ports.catalog,
      instanceTypes: (nodeClass, signal) => sizes(() => ports.catalog.instanceTypes(nodeClass, signal)),
    }),
    facts: busy.port({ ...ports.facts, load: (signal) => facts(() => ports.facts.load(signal)) }),
  }
  return { deps, documents: busy.port(blobs) }
}

/** Returns a lease whose acquire and release stop the time. Its renewal waits for the clock and must not stop it. */
function waitedFor(lease: Lease, busy: Stored['busy']): Lease {
  return {
    async acquire(signal) {
      const held = await busy.during(lease.acquire(signal))
      return held.ok ? ok({ ...held.value, release: () => busy.during(held.value.release()) }) : held
    },
  }
}

/** Reads again from storage before a call, at most as often as the adapter of Azure does. */
function rechecked(now: () => number, read: () => Promise<void>): <Value>(call: () => Promise<Value>) => Promise<Value> {
  let readAt: number | undefined
  return async (call) => {
    if (readAt === undefined || now() - readAt >= RECHECK_MS) {
      readAt = now()
      await read()
    }
    return call()
  }
}
