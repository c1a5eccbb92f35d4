/** A virtual machine of the ARM emulator, as a kubelet simulator needs to know it: what the hardware is and what it was told. */
export type Machine = {
  /** ARM resource id. */
  readonly id: string
  readonly name: string
  readonly size: string
  readonly location: string
  /** `"1"`; absent for a regional machine. */
  readonly zone?: string
  readonly priority: 'Regular' | 'Spot'
  /** Base64, exactly as the VM's body carried it. */
  readonly customData: string
  readonly tags: { readonly [name: string]: string }
  readonly cpus: number
  readonly memoryBytes: number
  /** Size of the OS disk; 128 GB when not said. */
  readonly osDiskBytes?: number
  readonly gpus: number
}

/** Told about machines as the emulator boots and ends them. */
export interface MachineListener {
  started(machine: Machine): void
  /** Power is off at once: nothing on the machine runs any more. */
  stopped(machine: Machine): void
}

/** Where machines come from. A listener hears of the running ones first. Returns the way to stop listening. */
export interface MachineSource {
  listen(listener: MachineListener): () => void
}
