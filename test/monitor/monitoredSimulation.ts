import type { MemoryProcess } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import type { AzureTelemetry } from '../../shared/adapters/telemetry/azureTelemetry.ts'
import { createSimulation, type Simulation, type SimulationOptions, START } from '../crash/simulation.ts'
import type { Ingestion } from './ingestion.ts'
import { createMonitored, type MonitoredOptions } from './monitored.ts'

export type MonitoredSimulation = {
  readonly simulation: Simulation
  readonly ingestion: Ingestion
  /** Sends everything that living processes hold, including metrics. */
  flush(): Promise<void>
}

/** The whole system in virtual time. Each process has the real telemetry. A killed process loses what it had not sent. */
export function createMonitoredSimulation(options: SimulationOptions = {}, monitored: MonitoredOptions = {}): MonitoredSimulation {
  const clock = options.clock ?? createVirtualClock(START)
  const { ingestion, start } = createMonitored({ now: () => clock.now(), ...monitored })
  const running: { readonly telemetry: AzureTelemetry; readonly process: Pick<MemoryProcess, 'isAlive'> }[] = []
  const living = (): readonly AzureTelemetry[] => running.flatMap(({ telemetry, process }) => (process.isAlive() ? [telemetry] : []))
  const simulation = createSimulation({
    ...options,
    clock,
    between(deps, process) {
      const telemetry = start()
      running.push({ telemetry, process })
      const all = { ...deps, telemetry }
      return options.between === undefined ? all : options.between(all, process)
    },
    async afterwards() {
      await options.afterwards?.()
      const flushed = Promise.all(living().map((telemetry) => telemetry.flush()))
      // The app never waits for this. The test waits, so that a process that is killed later has sent its rows.
      if (monitored.slow !== true) await flushed
    },
  })
  return {
    simulation,
    ingestion,
    async flush() {
      for (const telemetry of living()) await telemetry.flushAll()
    },
  }
}
