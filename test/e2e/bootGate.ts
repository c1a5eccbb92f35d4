import type { Machine, MachineListener } from '../../local/machine.ts'
import type { StackOptions } from '../../local/stack/stackOptions.ts'
import { until } from './until.ts'

/** A gate between Azure and the booting machines. While the gate is closed, no machine boots. */
export interface BootGate {
  readonly booting: NonNullable<StackOptions['booting']>
  /** Holds machines that are started from now on. */
  close(): void
  /** Lets machines boot that are started from now on. A held machine stays held. */
  open(): void
  /** Waits for the machine that the gate holds, and takes it from the gate. */
  held(): Promise<Machine>
  /** Boots the machine with the given data. */
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
