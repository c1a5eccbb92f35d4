import type { Machine, MachineListener } from '../../local/machine.ts'
import type { StackOptions } from '../../local/stack/stackOptions.ts'
import { until } from './until.ts'

/** Stands between Azure and the machines that boot: a scenario closes it, and no machine boots until the scenario lets it. */
export interface BootGate {
  readonly booting: NonNullable<StackOptions['booting']>
  /** Machines that are switched on from now on do not begin to boot. */
  close(): void
  /** Machines that are switched on from now on boot. A machine that is held stays held. */
  open(): void
  /** Waits for the machine that the gate holds, and takes it from the gate. */
  held(): Promise<Machine>
  /** The machine boots as it is told here. */
  boot(machine: Machine): void
}

export function createBootGate(): BootGate {
  const waiting = new Map<string, Machine>()
  let isClosed = false
  let listener: MachineListener | undefined
  return {
    booting: (machines) => ({
      listen(to) {
        listener = to
        return machines.listen({
          started: (machine) => (isClosed ? void waiting.set(machine.name, machine) : to.started(machine)),
          stopped: (machine) => (waiting.delete(machine.name) ? undefined : to.stopped(machine)),
        })
      },
    }),
    close() {
      waiting.clear()
      isClosed = true
    },
    open() {
      isClosed = false
    },
    async held() {
      await until(() => (waiting.size === 1 ? undefined : `${waiting.size} machines are held`))
      const [machine] = waiting.values()
      if (machine === undefined) throw new Error('no machine is held')
      waiting.delete(machine.name)
      return machine
    },
    boot: (machine) => listener?.started(machine),
  }
}
