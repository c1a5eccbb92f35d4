// What a subscription says of itself before anything is made in it: providers, regions of a plan, and what the caller may do.
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import { page } from './page.ts'

/** Some of those where Flex Consumption is to be had, as ARM spells regions in lists of App Service. */
const FLEX_REGIONS = ['East US', 'East US 2', 'West US 3', 'North Europe', 'West Europe', 'UK South', 'Southeast Asia', 'Australia East']

/** Providers are registered until a test says otherwise. One that was asked for is on its way when it is looked at first, and there after that. */
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

/** Of whoever asks, at the scope before `/providers/Microsoft.Authorization/permissions`; an owner's where roles do not decide. */
export function permissions(arm: Arm, { path, principalId }: ArmRequest): ArmAnswer {
  const scope = path.replace(/\/providers\/Microsoft\.Authorization\/permissions\/?$/i, '')
  const granted = arm.settings.needsRoles ? arm.access.rolesAt(principalId, scope) : [{ actions: ['*'], notActions: [] }]
  const value = granted.map(({ actions, notActions = [] }) => ({ actions, notActions, dataActions: [], notDataActions: [] }))
  return { status: 200, body: { value } }
}

type Params = { readonly [name: string]: string | undefined }
