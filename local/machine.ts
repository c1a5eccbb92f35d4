/** A virtual machine of the ARM emulator, as a kubelet simulator sees it: its hardware and its customData. */
export type Machine = {
  /** ARM resource id. */
  readonly id: string
  readonly name: string
  readonly size: string
  readonly location: string
  /** `"1"`. Undefined for a regional machine. */
  readonly zone?: string
  readonly priority: 'Regular' | 'Spot'
  /** Base64, exactly as in the body of the VM. */
  readonly customData: string
  readonly tags: { readonly [name: string]: string }
  readonly cpus: number
  readonly memoryBytes: number
  /** Size of the OS disk. Undefined for 128 GB. */
  readonly osDiskBytes?: number
  readonly gpus: number
  /** Another one at each boot. */
  readonly bootId: string
}

/** A listener that is called as the emulator boots and ends machines. */
export interface MachineListener {
  started(machine: Machine): void
  /** Power goes off at once: nothing on the machine runs any more. */
  stopped(machine: Machine): void
  /** The same for a restart: the disk stays, and `started` follows. Not called where the listener has none. */
  goesDown?(machine: Machine): void
}

/** A source of machines. A new listener is first called for the running machines. `listen` returns the function that stops listening. */
export interface MachineSource {
  listen(listener: MachineListener): () => void
}
