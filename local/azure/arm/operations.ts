import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'

/** Returns the state of a long-running operation, at the address in its Azure-AsyncOperation header. */
export function getOperation(arm: Arm, request: ArmRequest): ArmAnswer {
  const operation = arm.state.operations.get(request.name)
  if (operation === undefined) return armError(404, 'NotFound', `The operation '${request.name}' was not found.`)
  return {
    status: 200,
    body: {
      name: operation.id,
      status: operation.status,
      startTime: new Date(operation.startedAt).toISOString(),
      ...(operation.endedAt === undefined ? {} : { endTime: new Date(operation.endedAt).toISOString() }),
      ...(operation.error === undefined ? {} : { error: { ...operation.error, details: [] } }),
    },
  }
}

/** Returns the same at the address of the Location header: 202 while the operation runs. */
export function getOperationResult(arm: Arm, request: ArmRequest): ArmAnswer {
  const operation = arm.state.operations.get(request.name)
  if (operation === undefined) return armError(404, 'NotFound', `The operation '${request.name}' was not found.`)
  if (operation.status === 'InProgress') return { status: 202 }
  return operation.error === undefined ? { status: 204 } : armError(409, operation.error.code, operation.error.message)
}
