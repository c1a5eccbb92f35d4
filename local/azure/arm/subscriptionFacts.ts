// Facts of a subscription before anything is made in it: providers, regions of a plan, and the permissions of the caller.
import { textAt } from '../json.ts'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import { page } from './page.ts'
import { isAtOrUnder, parseResourcePath } from './resources/resourceId.ts'

/** Some of the regions that offer Flex Consumption, spelled as ARM spells them in lists of App Service. */
const FLEX_REGIONS = ['East US', 'East US 2', 'West US 3', 'North Europe', 'West Europe', 'UK South', 'Southeast Asia', 'Australia East']

/** Providers are registered until a test says otherwise. After a registration the first look sees `Registering`, and later looks `Registered`. */
export function getProvider(arm: Arm, _: ArmRequest, { provider = '' }: Params): ArmAnswer {
  const registrationState = arm.state.providers.get(provider.toLowerCase()) ?? 'Registered'
  if (registrationState === 'Registering') arm.state.providers.set(provider.toLowerCase(), 'Registered')
  return {
    status: 200,
    body: { id: `/subscriptions/${arm.settings.subscriptionId}/providers/${provider}`, namespace: provider, registrationState },
  }
}

export function registerProvider(arm: Arm, request: ArmRequest, params: Params): ArmAnswer {
  const { provider = '' } = params
  if (arm.state.providers.get(provider.toLowerCase()) !== undefined) arm.state.providers.set(provider.toLowerCase(), 'Registering')
  return getProvider(arm, request, params)
}

export function listTenants(arm: Arm, request: ArmRequest): ArmAnswer {
  const { tenantId } = arm.settings
  return page(arm, request, [{ id: `/tenants/${tenantId}`, tenantId, displayName: 'local', countryCode: 'US' }])
}

/** The one region of the emulator, as `Subscriptions - List Locations` (2022-12-01) tells of a region. */
export function listLocations(arm: Arm, request: ArmRequest): ArmAnswer {
  const { subscriptionId, location } = arm.settings
  const metadata = { regionType: 'Physical', regionCategory: 'Recommended', geographyGroup: 'US' }
  const shown = { name: location, type: 'Region', displayName: location, regionalDisplayName: `(US) ${location}`, metadata }
  return page(arm, request, [{ id: `/subscriptions/${subscriptionId}/locations/${location}`, ...shown }])
}

/** `Resources - List By Resource Group` (2021-04-01) has the resources that stand by themselves, and not their parts. */
export function listResources(arm: Arm, request: ArmRequest): ArmAnswer {
  const group = `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${request.group}`
  const listed = [...arm.state.documents.values()].filter(({ id }) => {
    const path = parseResourcePath(id)
    return isAtOrUnder(id, group) && path?.parent === undefined && path?.scope.toLowerCase() === group.toLowerCase()
  })
  return page(
    arm,
    request,
    listed.map(({ id, ...each }) => ({ id, name: each['name'], type: each['type'], location: textAt(each, 'location') ?? '' })),
  )
}

export function geoRegions(arm: Arm, request: ArmRequest): ArmAnswer {
  const sku = request.query.get('sku')
  if (sku !== 'FlexConsumption') return armError(400, 'BadRequest', `Regions of the plan '${sku}' are not served; FlexConsumption is.`)
  return page(
    arm,
    request,
    FLEX_REGIONS.map((name) => ({ name, type: 'Microsoft.Web/geoRegions', properties: { name, displayName: name } })),
  )
}

/** Returns the permissions of the caller at the scope before `/providers/Microsoft.Authorization/permissions`. Without `needsRoles`, all of them. */
export function permissions(arm: Arm, { path, principalId }: ArmRequest): ArmAnswer {
  const scope = path.replace(/\/providers\/Microsoft\.Authorization\/permissions\/?$/i, '')
  const granted = arm.settings.needsRoles ? arm.access.rolesAt(principalId, scope) : [{ actions: ['*'], notActions: [] }]
  const value = granted.map(({ actions, notActions = [] }) => ({ actions, notActions, dataActions: [], notDataActions: [] }))
  return { status: 200, body: { value } }
}

type Params = { readonly [name: string]: string | undefined }
