import { isRecord } from '../json.ts'
import { type Arm, type ArmRequest, beginOperation } from './arm.ts'
import { type ArmAnswer, notFound } from './armAnswer.ts'
import { vmIdOf } from './virtualMachines.ts'

/** Accepts an extension for a machine that exists, and does not keep it: no extension runs here. */
export function putExtension(arm: Arm, request: ArmRequest, extension: string): ArmAnswer {
  const vmId = vmIdOf(arm, request.group, request.name)
  if (!arm.state.vms.has(vmId.toLowerCase())) return notFound('Microsoft.Compute/virtualMachines', request.name, request.group)
  const operation = beginOperation(arm, 'Microsoft.Compute', request.query.get('api-version') ?? '')
  operation.end()
  const properties = isRecord(request.body['properties']) ? { ...request.body['properties'] } : {}
  delete properties['protectedSettings']
  const body = {
    ...request.body,
    id: `${vmId}/extensions/${extension}`,
    name: extension,
    type: 'Microsoft.Compute/virtualMachines/extensions',
    properties: { ...properties, provisioningState: 'Succeeded' },
  }
  return { status: 201, headers: operation.asyncHeader, body }
}
