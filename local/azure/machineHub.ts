import type { Machine, MachineListener, MachineSource } from '../machine.ts'
import type { VmRecord } from './arm/armState.ts'
import type { VmSize } from './sizes/vmSize.ts'

/** Reports the running machines to listeners. */
export function createMachineHub(
  location: string,
  sizes: ReadonlyMap<string, VmSize>,
): MachineSource & {
  booted(vm: VmRecord): void
  stopped(vm: VmRecord): void
  goesDown(vm: VmRecord): void
} {
  const listeners = new Set<MachineListener>()
  const running = new Map<string, Machine>()
  const ended = (vm: VmRecord, how: 'stopped' | 'goesDown'): void => {
    const machine = running.get(vm.id)
    if (machine === undefined) return
    running.delete(vm.id)
    for (const listener of listeners) listener[how]?.(machine)
  }
  return {
    listen(listener) {
      listeners.add(listener)
      for (const machine of running.values()) listener.started(machine)
      return () => listeners.delete(listener)
    },
    booted(vm) {
      const machine = machineOf(vm, location, sizes.get(vm.size))
      running.set(vm.id, machine)
      for (const listener of listeners) listener.started(machine)
    },
    stopped: (vm) => ended(vm, 'stopped'),
    goesDown: (vm) => ended(vm, 'goesDown'),
  }
}

function machineOf(vm: VmRecord, location: string, size: VmSize | undefined): Machine {
  return {
    id: vm.id,
    name: vm.name,
    size: vm.size,
    location,
    ...(vm.zone === undefined ? {} : { zone: vm.zone }),
    priority: vm.priority,
    customData: vm.customData,
    tags: vm.tags,
    cpus: size?.cpus ?? 0,
    memoryBytes: (size?.memoryGib ?? 0) * 1024 ** 3,
    gpus: size?.gpus ?? 0,
    bootId: crypto.randomUUID(),
  }
}
