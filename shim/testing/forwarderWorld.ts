import { afterEach } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import type { ForwarderConfig } from '../config.ts'
import { KIND_PATHS } from '../kinds.ts'
import { silentLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { type RunDeps, type Running, runForwarder } from '../runForwarder.ts'
import { createFakeApp, type FakeApp } from './fakeApp.ts'
import { createFakeKube, type FakeKube } from './fakeKube.ts'
import { plainReducer } from './plainReducer.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The system clock with waits of at most 20 ms, so that back-off and resends take no real seconds. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) }

/** Starts a cluster and an app, which are closed after the test. `without` holds the paths that the cluster does not serve. */
export async function setUp(without: readonly string[] = []): Promise<{ kube: FakeKube; app: FakeApp }> {
  const paths = Object.values(KIND_PATHS).map(({ path }) => path)
  const kube = await createFakeKube(paths.filter((path) => !without.includes(path)))
  const app = await createFakeApp()
  cleanups.push(kube.close, app.close)
  return { kube, app }
}

/** Starts a shim between the two. It is stopped after the test. */
export function start(
  kube: FakeKube,
  app: FakeApp,
  settings: Partial<ForwarderConfig> = {},
  { reduceBy = () => plainReducer, termMs = 3_600_000 }: { readonly reduceBy?: RunDeps['reduce']; readonly termMs?: number } = {},
): Running & { stop(): Promise<void>; metricsText(): Promise<string> } {
  const config: ForwarderConfig = {
    mode: 'forwarder',
    cluster: 'demo',
    proxy: {},
    identity: undefined,
    tokenFile: undefined,
    httpPort: 0,
    endpoint: app.endpoint,
    functionKey: () => 'the-key',
    audience: 'api://joiner',
    lease: { namespace: 'joiner', name: 'shim' },
    podName: 'shim-a',
    windowMs: 5,
    batchBytes: 100_000,
    batchChanges: 1_000,
    resendMs: 60_000,
    unsentBytes: 1_000_000,
    ...settings,
  }
  const stopping = new AbortController()
  const deps = { connection: kube.connection, reduce: reduceBy, clock: hurried, log: silentLog, metrics: createMetrics() }
  const timing = { election: { durationMs: 20_000, renewMs: 1_000, giveUpMs: 15_000 }, snapshotPauseMs: 0, termMs }
  const running = runForwarder(config, { ...deps, timing }, stopping.signal)
  const stop = async (): Promise<void> => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await running.ended
  }
  cleanups.push(stop)
  return { ...running, stop, metricsText: deps.metrics.text }
}
