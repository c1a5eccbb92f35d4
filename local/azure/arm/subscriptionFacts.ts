// Facts of a subscription before anything is made in it: providers, regions of a plan, and the permissions of the caller.
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import { page } from './page.ts'

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
