import type { DeploymentRecord } from './deploymentRecord.ts'

/**
 * A resource as ARM shows it: part of the emulated cluster, put there by a test, or made by a deployment. The `kubeconfig` of a cluster is only in
 * the answer to a request for its credentials.
 */
export type Document = { readonly id: string; readonly kubeconfig?: string; readonly [member: string]: unknown }

export type ProvisioningState = 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Deleting'

/** A virtual machine as the emulator keeps it. `body` is what the client sent. `vmBody` leaves the secrets out. */
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
  /** The guest runs, so its kubelet may send requests. */
  isBooted: boolean
  /** Set from the request for a restart until the guest runs again. Cancels the boot. */
  restarting?: () => void
  /** Cancels what is still to come: boot, end of creation. */
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
  /** Id of the machine that the interface is attached to. Undefined if there is none. */
  vmId?: string
  /** The machine whose creation failed, and until when the interface is reserved for it. Undefined if it is not reserved. */
  reserved?: { readonly forVm: string; readonly until: number }
}

export type DiskRecord = {
  readonly id: string
  readonly name: string
  readonly vmName: string
  readonly sizeGb: number
  readonly isEphemeral: boolean
  tags: Record<string, string>
}

export type OperationRecord = {
  readonly id: string
  readonly startedAt: number
  status: 'InProgress' | 'Succeeded' | 'Failed'
  endedAt?: number
  error?: { readonly code: string; readonly message: string }
}

/** Everything that ARM holds, by resource id in lower case. */
export type ArmState = {
  readonly vms: Map<string, VmRecord>
  readonly nics: Map<string, NicRecord>
  readonly disks: Map<string, DiskRecord>
  readonly operations: Map<string, OperationRecord>
  readonly documents: Map<string, Document>
  /** By name in lower case. */
  readonly deployments: Map<string, DeploymentRecord>
  /** How often a definition of a role was read that not all of Azure knows, by its id in lower case. */
  readonly readsOfRoles: Map<string, number>
  /** States of resource providers that a test has set, by namespace in lower case. All others are `Registered`. */
  readonly providers: Map<string, string>
}

export function createArmState(documents: readonly Document[]): ArmState {
  const byId = new Map(documents.map((each) => [each.id.toLowerCase(), each] as const))
  return {
    vms: new Map(),
    nics: new Map(),
    disks: new Map(),
    operations: new Map(),
    documents: byId,
    deployments: new Map(),
    readsOfRoles: new Map(),
    providers: new Map(),
  }
}

export function etagOf(version: number): string {
  return `"${version}"`
}
