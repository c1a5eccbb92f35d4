import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { textOf } from '../shared/base/result.ts'
import { aborted } from './aborted.ts'
import { systemClock } from './clock.ts'
import { type Env, type ForwarderConfig, parseConfig, type ShimConfig, type SpotConfig } from './config.ts'
import { connectionFrom } from './kube/connection.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics, type ShimMetrics } from './metrics.ts'
import { type Probes, startProbes } from './probes.ts'
import { type Running, runForwarder } from './runForwarder.ts'
import { keptReducer } from './sync/keptReducer.ts'

/**
 * Runs the shim until the signal aborts and everything has ended. Returns the exit code: 1 if the settings are wrong or the shim cannot run, else 0.
 */
export async function runShim(env: Env, log: Log, signal: AbortSignal): Promise<number> {
  const config = parseConfig(env)
  if (!config.ok) {
    for (const { message } of config.error) log.error(message)
    log.error('not starting: settings are wrong', { problems: config.error.length })
    return 1
  }
  try {
    await serve(config.value, env, log, signal)
    return 0
  } catch (error) {
    log.error('the shim cannot run', { because: textOf(error) })
    return 1
  }
}

async function serve(config: ShimConfig, env: Env, log: Log, signal: AbortSignal): Promise<void> {
  const metrics = createMetrics()
  const start = () => (config.mode === 'spot' ? startSpot(config, log, metrics, signal) : startForwarder(config, env, log, metrics, signal))
  const running = await start()
  const probes: Probes = await startProbes(
    config.httpPort,
    { readiness: () => running.unreadyReasons(), karpenterMetrics: () => running.karpenterMetrics?.() ?? [] },
    metrics,
    systemClock,
  )
  log.info('started', { mode: config.mode, cluster: config.cluster, httpPort: probes.port })
  await Promise.all([running.ended, aborted(signal)])
  probes.close()
  log.info('stopped')
}

async function startForwarder(config: ForwarderConfig, env: Env, log: Log, metrics: ShimMetrics, signal: AbortSignal): Promise<Running> {
  const connection = await connectionFrom(env, systemClock)
  return runForwarder(config, { connection, reduce: keptReducer, clock: systemClock, log, metrics }, signal)
}

/** Starts the spot mode. Its module is loaded only here: the Event Grid client is half of the bundle, and a forwarder does not use it. */
async function startSpot(config: SpotConfig, log: Log, metrics: ShimMetrics, signal: AbortSignal): Promise<Running> {
  const { runSpot } = await import('./spot/runSpot.ts')
  return runSpot(config, { clock: systemClock, log, metrics }, signal)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort(new DOMException(name, 'AbortError')))
  const log = createLog((line) => process.stdout.write(line))
  process.exitCode = await runShim(process.env, log, stopping.signal)
}
