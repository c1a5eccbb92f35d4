/**
 * A resource that was there before, as ARM tells of it; nobody makes or changes it here. A cluster's `kubeconfig` is told only to who asks for its
 * credentials.
 */
export type Document = { readonly id: string; readonly kubeconfig?: string; readonly [member: string]: unknown }

export type ProvisioningState = 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Deleting'

/** A virtual machine as the emulator keeps it. `body` is what the client sent, without what ARM never gives back. */
export type VmRecord = {
  readonly id: string
  readonly name: string
  readonly group: string
  readonly vmId: string
  readonly createdAt: number
  readonly size: string
  readonly zone: string | undefined
  readonly priority: 'Regular' | 'Spot'
  readonly customData: string
  readonly nicIds: readonly string[]
  readonly diskId: string
  body: Record<string, unknown>
  tags: Record<string, string>
  state: ProvisioningState
  version: number
  failure?: { readonly code: string; readonly message: string }
  /** The guest runs: its kubelet may talk. */
  isBooted: boolean
  /** Calls off what is still to come: boot, end of creation. */
  cancel: (() => void)[]
}

export type NicRecord = {
  readonly id: string
  readonly name: string
  readonly group: string
  readonly createdAt: number
  readonly address: string
  readonly mac: string
  body: Record<string, unknown>
  tags: Record<string, string>
  state: ProvisioningState
  version: number
  /** Id of the machine it is attached to. */
  vmId?: string
  /** Until when it is kept for a machine whose creation failed. */
  reserved?: { readonly forVm: string; readonly until: number }
}

export type DiskRecord = {
  readonly id: string
  readonly name: string
  readonly vmName: string
  readonly sizeGb: number
  readonly isEphemeral: boolean
}

export type OperationRecord = {
  readonly id: string
  readonly startedAt: number
  status: 'InProgress' | 'Succeeded' | 'Failed'
  endedAt?: number
  error?: { readonly code: string; readonly message: string }
}

/** Everything ARM holds, by lower-case resource id. */
export type ArmState = {
  readonly vms: Map<string, VmRecord>
  readonly nics: Map<string, NicRecord>
  readonly disks: Map<string, DiskRecord>
  readonly operations: Map<string, OperationRecord>
  readonly documents: Map<string, Document>
  /** State of resource providers that are not `Registered` all along, by namespace in lower case. */
  readonly providers: Map<string, string>
}

export function createArmState(documents: readonly Document[]): ArmState {
  const byId = new Map(documents.map((each) => [each.id.toLowerCase(), each] as const))
  return { vms: new Map(), nics: new Map(), disks: new Map(), operations: new Map(), documents: byId, providers: new Map() }
}

export function etagOf(version: number): string {
  return `"${version}"`
}
