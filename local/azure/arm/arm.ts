import type { FaultBook } from '../faults.ts'
import type { AzureSettings } from '../options.ts'
import type { VmSize } from '../sizes/vmSize.ts'
import type { Timeline } from '../timeline.ts'
import type { ArmState, OperationRecord, VmRecord } from './armState.ts'
import type { AccessCheck } from './authorization/access.ts'
import type { TemplateEngine } from './deploymentRecord.ts'

/** What the parts of the ARM emulator share. */
export type Arm = {
  readonly settings: AzureSettings
  readonly state: ArmState
  readonly timeline: Timeline
  readonly faults: FaultBook
  readonly access: AccessCheck
  readonly sizes: ReadonlyMap<string, VmSize>
  /** Returns the address of the server, known once it listens. */
  readonly url: () => string
  /** What deploys templates. Undefined where no template is deployed. */
  readonly engine: () => TemplateEngine | undefined
  readonly booted: (vm: VmRecord) => void
  readonly stopped: (vm: VmRecord) => void
  /** The guest goes down for a restart. Its disk stays. */
  readonly goesDown: (vm: VmRecord) => void
  /** Begins the eviction of a spot machine. */
  readonly evict: (vm: VmRecord) => void
}

/** A request for a resource, with the parts of its path. */
export type ArmRequest = {
  readonly method: string
  /** As in the request. */
  readonly path: string
  readonly group: string
  readonly name: string
  readonly query: URLSearchParams
  /** Object id of the caller. */
  readonly principalId: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly body: Record<string, unknown>
}

/** Opens a long-running operation. Its headers tell the client where to ask for the state. */
export function beginOperation(arm: Arm, provider: 'Microsoft.Compute' | 'Microsoft.Network', apiVersion: string) {
  const operation: OperationRecord = { id: crypto.randomUUID(), startedAt: Date.now(), status: 'InProgress' }
  arm.state.operations.set(operation.id, operation)
  const { subscriptionId, location } = arm.settings
  const base = `${arm.url()}/subscriptions/${subscriptionId}/providers/${provider}/locations/${location}`
  const end = (error?: { readonly code: string; readonly message: string }): void => {
    operation.status = error === undefined ? 'Succeeded' : 'Failed'
    operation.endedAt = Date.now()
    if (error !== undefined) operation.error = error
  }
  return {
    end,
    asyncHeader: { 'azure-asyncoperation': `${base}/operations/${operation.id}?api-version=${apiVersion}` },
    locationHeader: { location: `${base}/operationResults/${operation.id}?api-version=${apiVersion}` },
  }
}
