import { isRecord, listAt, recordAt, textAt, textsAt } from '../json.ts'
import { type Arm, type ArmRequest, beginOperation } from './arm.ts'
import { type ArmAnswer, armError, notFound } from './armAnswer.ts'
import { etagOf, type NicRecord } from './armState.ts'
import { preconditionProblem } from './vmRules.ts'

const TYPE = 'Microsoft.Network/networkInterfaces'

function nicIdOf(arm: Arm, group: string, name: string): string {
  return `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${group}/providers/${TYPE}/${name}`
}

export function putNic(arm: Arm, request: ArmRequest): ArmAnswer {
  const id = nicIdOf(arm, request.group, request.name)
  const key = id.toLowerCase()
  const existing = arm.state.nics.get(key)
  const problem = preconditionProblem(request.headers, existing?.version) ?? bodyProblem(arm, request, id)
  if (problem !== undefined) return problem
  if (existing?.state === 'Deleting')
    return armError(429, 'RetryableError', `A retryable error occurred: ${id} is being deleted.`, { 'retry-after': '1' })
  const nic: NicRecord = existing ?? {
    id,
    name: request.name,
    group: request.group,
    createdAt: Date.now(),
    ...nextAddress(arm),
    body: request.body,
    tags: {},
    state: 'Updating',
    version: 0,
  }
  nic.body = request.body
  nic.tags = textsAt(request.body, 'tags')
  nic.version += 1
  nic.state = 'Updating'
  arm.state.nics.set(key, nic)
  const operation = beginOperation(arm, 'Microsoft.Network', request.query.get('api-version') ?? '')
  arm.timeline.after(arm.settings.durations.nic, () => {
    if (nic.state === 'Updating') nic.state = 'Succeeded'
    operation.end()
  })
  return { status: existing === undefined ? 201 : 200, headers: operation.asyncHeader, body: nicBody(arm, nic) }
}

function bodyProblem(arm: Arm, request: ArmRequest, id: string): ArmAnswer | undefined {
  const { body } = request
  if (textAt(body, 'location')?.toLowerCase() !== arm.settings.location) {
    return armError(400, 'LocationRequired', `The location property of ${id} must be '${arm.settings.location}'.`)
  }
  const configurations = listAt(body, 'properties.ipConfigurations')
  if (configurations.length === 0)
    return armError(
      400,
      'NetworkInterfaceMustHaveAtLeastOneIpConfiguration',
      `Network interface ${id} must have one or more IP configurations.`,
    )
  for (const configuration of configurations) {
    const subnet = textAt(configuration, 'properties.subnet.id')
    if (subnet?.toLowerCase() !== arm.settings.subnetId.toLowerCase()) {
      return armError(
        400,
        'InvalidResourceReference',
        `Resource ${subnet} referenced by resource ${id} was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.`,
      )
    }
    const missing = missingPool(arm, configuration)
    if (missing !== undefined) {
      return armError(400, 'InvalidResourceReference', `Resource ${missing} referenced by resource ${id} was not found.`)
    }
  }
  const others = [...arm.state.nics.values()].filter((nic) => nic.id.toLowerCase() !== id.toLowerCase())
  const taken = others.reduce((sum, nic) => sum + listAt(nic.body, 'properties.ipConfigurations').length, 0)
  if (taken + configurations.length <= arm.settings.subnetAddresses) return undefined
  return armError(
    400,
    'SubnetIsFull',
    `Subnet aks-subnet with address prefix 10.224.0.0/16 does not have enough capacity for ${configurations.length} IP addresses.`,
  )
}

/** The first backend pool of the configuration that does not exist. Azure refuses the interface then (Azure/acs-engine issue 3114, 2018-06). */
function missingPool(arm: Arm, configuration: unknown): string | undefined {
  const pools = listAt(configuration, 'properties.loadBalancerBackendAddressPools').map((pool) => textAt(pool, 'id'))
  return pools.find((id) => id !== undefined && !hasPool(arm, id))
}

function hasPool(arm: Arm, id: string): boolean {
  const balancer = arm.state.documents.get(id.replace(/\/backendAddressPools\/[^/]*$/i, '').toLowerCase())
  const pools = listAt(balancer, 'properties.backendAddressPools')
  return pools.some((each) => textAt(each, 'id')?.toLowerCase() === id.toLowerCase())
}

export function getNic(arm: Arm, request: ArmRequest): ArmAnswer {
  const nic = arm.state.nics.get(nicIdOf(arm, request.group, request.name).toLowerCase())
  return nic === undefined
    ? notFound(TYPE, request.name, request.group)
    : { status: 200, headers: { etag: etagOf(nic.version) }, body: nicBody(arm, nic) }
}

/**
 * Replaces the tags of an interface as a whole. While another change of the interface is under way, the request is refused
 * (hashicorp/terraform issue 7986, 2017-04).
 */
export function patchNic(arm: Arm, request: ArmRequest): ArmAnswer {
  const nic = arm.state.nics.get(nicIdOf(arm, request.group, request.name).toLowerCase())
  if (nic === undefined) return notFound(TYPE, request.name, request.group)
  const unserved = Object.keys(request.body).find((key) => key !== 'tags')
  if (unserved !== undefined)
    return armError(400, 'InvalidRequestContent', `A PATCH of ${nic.id} changes its tags only, not '${unserved}'.`)
  if (nic.state !== 'Succeeded') {
    const message = `A retryable error occurred: ${nic.id} is not in state Succeeded.`
    return armError(429, 'RetryableError', message, { 'retry-after': '1' })
  }
  if (isRecord(request.body['tags'])) nic.tags = textsAt(request.body, 'tags')
  nic.version += 1
  return { status: 200, headers: { etag: etagOf(nic.version) }, body: nicBody(arm, nic) }
}

export function deleteNic(arm: Arm, request: ArmRequest): ArmAnswer {
  const key = nicIdOf(arm, request.group, request.name).toLowerCase()
  const nic = arm.state.nics.get(key)
  if (nic === undefined) return { status: 204 }
  if (nic.vmId !== undefined) {
    return armError(
      400,
      'NicInUse',
      `Network Interface ${nic.id} is used by existing resource ${nic.vmId}. In order to delete the network interface, it must be dissociated from the resource.`,
    )
  }
  if (nic.reserved !== undefined && nic.reserved.until > Date.now()) {
    return armError(
      400,
      'NicReservedForAnotherVm',
      `Nic(s) in request is reserved for another Virtual Machine for 180 seconds: ${nic.id}. Please retry after 180 seconds.`,
    )
  }
  nic.state = 'Deleting'
  const operation = beginOperation(arm, 'Microsoft.Network', request.query.get('api-version') ?? '')
  arm.timeline.after(arm.settings.durations.nic, () => {
    if (arm.state.nics.get(key) === nic) arm.state.nics.delete(key)
    operation.end()
  })
  return { status: 202, headers: { ...operation.asyncHeader, ...operation.locationHeader } }
}

export function nicsOf(arm: Arm, group: string): readonly NicRecord[] {
  return [...arm.state.nics.values()].filter((nic) => nic.group.toLowerCase() === group.toLowerCase())
}

export function nicBody(arm: Arm, nic: NicRecord): object {
  const properties = isRecord(nic.body['properties']) ? nic.body['properties'] : {}
  const configurations = listAt(nic.body, 'properties.ipConfigurations').map((configuration, index) => ({
    ...(isRecord(configuration) ? configuration : {}),
    id: `${nic.id}/ipConfigurations/${textAt(configuration, 'name')}`,
    properties: {
      ...recordAt(configuration, 'properties'),
      ...(index === 0 ? { privateIPAddress: nic.address } : {}),
      provisioningState: 'Succeeded',
    },
  }))
  return {
    ...nic.body,
    id: nic.id,
    name: nic.name,
    type: TYPE,
    etag: etagOf(nic.version),
    location: arm.settings.location,
    tags: nic.tags,
    properties: {
      ...properties,
      ipConfigurations: configurations,
      provisioningState: nic.state,
      macAddress: nic.mac,
      resourceGuid: nic.name,
      ...(nic.vmId === undefined ? {} : { virtualMachine: { id: arm.state.vms.get(nic.vmId)?.id ?? nic.vmId } }),
    },
  }
}

let issued = 0

function nextAddress(arm: Arm): { address: string; mac: string } {
  issued = (issued + 1) % Math.min(arm.settings.subnetAddresses, 65_000)
  const low = (issued + 4) % 256
  const high = Math.floor((issued + 4) / 256) % 256
  return { address: `10.224.${high}.${low}`, mac: `00-0D-3A-00-${hex(high)}-${hex(low)}` }
}

function hex(value: number): string {
  return value.toString(16).padStart(2, '0').toUpperCase()
}
