import type { LaunchRefusal } from '../../../model/instance.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { ArmFailure } from '../armFailure.ts'
import { BUSY_RESOURCE_CODES } from '../busyResource.ts'
import type { BlockedScope } from './blockedScopes.ts'

/** One kind of refusal. It blocks offerings, or else it says what happens to the launch. */
export type RefusalRow = BlockingRow | WaitingRow

type AnyRow = {
  readonly name: string
  readonly matches: (failure: ArmFailure) => boolean
  readonly code: ProblemCode
  /** The reason for this scope, this time and this next step. */
  readonly because: string
}

/** Some offerings are blocked, and the next candidate is tried at once. */
export type BlockingRow = AnyRow & {
  /** Never more than Azure said. Further zones and sizes are blocked when Azure refuses them as well. */
  readonly blocks: BlockedScope
  /** How long a first refusal blocks the offerings, in milliseconds. Further refusals block for longer: `refusalGrowth.ts`. */
  readonly ttlMs: number
  /** Default: every cluster of the subscription and region. A policy or an unknown error may be about the tags or the identity of one cluster. */
  readonly concerns?: 'the NodeClass'
}

/** No offering is blocked: another one would be refused as well. */
type WaitingRow = AnyRow & { readonly then: Exclude<LaunchRefusal['then'], 'next'>; readonly retryAfterMs?: number }

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function withCode(...codes: readonly string[]): AnyRow['matches'] {
  return ({ code }) => codes.includes(code)
}

function notAllowed(fragment: string): AnyRow['matches'] {
  return ({ code, message }) => code === 'OperationNotAllowed' && message.includes(fragment)
}

/** The rows in order. The first row that matches is used. */
export const REFUSAL_TABLE: readonly RefusalRow[] = [
  {
    name: 'spot quota of the region',
    matches: notAllowed('LowPriorityCores'),
    code: 'AZURE.QUOTA.SPOT',
    blocks: 'capacity type from size up',
    ttlMs: HOUR,
    because: 'one quota covers all spot machines of the region; what is left of it may do for smaller sizes',
  },
  {
    name: 'spot not allowed for the subscription',
    matches: withCode('AzureSpotFeatureNotEnabledForSubscription'),
    code: 'AZURE.SKU_NOT_AVAILABLE',
    blocks: 'capacity type',
    ttlMs: HOUR,
    because: 'a property of the subscription, whatever the size: on demand is left until a person changes the offer of the subscription',
  },
  {
    name: 'size not sold as spot',
    matches: withCode('AzureSpotIsNotSupportedForThisVMSize'),
    code: 'AZURE.SKU_NOT_AVAILABLE',
    blocks: 'size as this capacity type',
    ttlMs: 23 * HOUR,
    because: 'a property of the size in every place; on demand it is sold',
  },
  {
    name: 'family quota of zero',
    matches: (failure) => notAllowed('Family Cores quota')(failure) && failure.message.includes('Current Limit: 0'),
    code: 'AZURE.QUOTA.FAMILY',
    blocks: 'family',
    ttlMs: HOUR,
    because: 'nothing of the family can ever fit until a person raises the limit',
  },
  {
    name: 'family quota',
    matches: notAllowed('Family Cores quota'),
    code: 'AZURE.QUOTA.FAMILY',
    blocks: 'family',
    ttlMs: 10 * MINUTE,
    because: 'smaller sizes may still fit, and machines that end free quota within minutes',
  },
  {
    name: 'size not available',
    matches: withCode('SkuNotAvailable'),
    code: 'AZURE.SKU_NOT_AVAILABLE',
    blocks: 'offering',
    ttlMs: HOUR,
    because: 'the restriction may be of one zone, although the text names the region: other zones are asked, and refuse for themselves',
  },
  {
    name: 'zone out of room',
    matches: withCode('ZonalAllocationFailed'),
    code: 'AZURE.ALLOCATION.ZONE',
    blocks: 'size in zone',
    ttlMs: HOUR,
    because: 'the hardware of the zone is full for this size, for spot as for on demand; other sizes may run on other hardware',
  },
  {
    name: 'region out of room',
    matches: withCode('AllocationFailed'),
    code: 'AZURE.ALLOCATION.REGION',
    blocks: 'size in scope',
    ttlMs: HOUR,
    because: 'as for a zone, over all places of the attempted kind; the other kind may still have room',
  },
  {
    name: 'zone out of room under these constraints',
    matches: withCode('OverconstrainedZonalAllocationRequest'),
    code: 'AZURE.ALLOCATION.OVERCONSTRAINED_ZONE',
    blocks: 'offering',
    ttlMs: HOUR,
    because: 'the capacity type is one of the constraints: the other may fit',
  },
  {
    name: 'region out of room under these constraints',
    matches: withCode('OverconstrainedAllocationRequest'),
    code: 'AZURE.ALLOCATION.OVERCONSTRAINED',
    blocks: 'size in scope as this capacity type',
    ttlMs: HOUR,
    because: 'the capacity type is one of the constraints: the other may fit',
  },
  {
    name: 'quota of the region',
    matches: notAllowed('exceeding approved Total Regional Cores quota'),
    code: 'AZURE.QUOTA.REGION',
    blocks: 'capacity type from size up',
    ttlMs: 3 * MINUTE,
    because: 'smaller sizes may still fit, and spot has a quota of its own; short, since ending machines free room',
  },
  {
    name: 'size not supported for the subscription',
    matches: (failure) =>
      failure.code === 'VMSizeNotSupported' ||
      (failure.code === 'BadRequest' && failure.message.includes('is not supported for subscription')),
    code: 'AZURE.SKU_NOT_AVAILABLE',
    blocks: 'size',
    ttlMs: 23 * HOUR,
    because: 'a property of the subscription, which changes by a support request',
  },
  {
    name: 'zone not supported by the size',
    matches: withCode('InvalidAvailabilityZone', 'AvailabilityZoneNotSupported'),
    code: 'AZURE.SKU_NOT_AVAILABLE',
    blocks: 'size in zone',
    ttlMs: 12 * HOUR,
    because: 'the size list was out of date; it is fetched again within this time',
  },
  {
    name: 'earlier resource still changing',
    matches: withCode(...BUSY_RESOURCE_CODES, 'Conflict', 'OperationPreempted'),
    code: 'AZURE.FAILED',
    then: 'retry',
    retryAfterMs: 5000,
    because: 'the resource of that name is being made or deleted; it is over within seconds. Its status may be that of throttling',
  },
  {
    name: 'requests for this machine used up',
    matches: (failure) => failure.isOfOneMachine === true,
    code: 'AZURE.THROTTLED',
    then: 'end',
    because: 'azure was asked for one size after another under this name; it takes requests under another name at once',
  },
  {
    name: 'throttled',
    matches: (failure) =>
      failure.status === 429 || withCode('TooManyRequests', 'OperationNotAllowedThrottled', 'SubscriptionRequestsThrottled')(failure),
    code: 'AZURE.THROTTLED',
    then: 'retry',
    retryAfterMs: 30_000,
    because: 'another size would be throttled as well; the client has already waited and tried again',
  },
  {
    name: 'subnet full',
    matches: withCode('SubnetIsFull', 'InsufficientSubnetSize', 'SubnetIsFullOrInsufficient'),
    code: 'AZURE.SUBNET_FULL',
    then: 'stop',
    retryAfterMs: 5 * MINUTE,
    because: 'every size needs an address of the same subnet; it must grow or nodes must end',
  },
  {
    name: 'interface reserved',
    matches: withCode('NicReservedForAnotherVm', 'NicInUse', 'NicInUseWithPrivateEndpoint'),
    code: 'AZURE.NIC_RESERVED',
    then: 'retry',
    retryAfterMs: 3 * MINUTE,
    because: 'Azure keeps an interface 180 seconds for the machine whose creation failed',
  },
  {
    name: 'machine exists',
    matches: (failure) => failure.status === 412 || withCode('PropertyChangeNotAllowed', 'ConditionNotMet', 'PreconditionFailed')(failure),
    code: 'AZURE.PROPERTY_CHANGE',
    then: 'retry',
    retryAfterMs: 5000,
    because: 'another launch of the claim came first: the next try finds and adopts its machine',
  },
  {
    name: 'interface or reference gone',
    matches: withCode('InvalidResourceReference', 'ReferencedResourceNotFound'),
    code: 'AZURE.FAILED',
    then: 'retry',
    retryAfterMs: 5000,
    because: 'something named was deleted in between, for example the interface by another try; the next launch makes it anew',
  },
  {
    name: 'image not found',
    matches: withCode(
      'ImageNotFound',
      'GalleryImageNotFound',
      'PlatformImageNotFound',
      'ImageVersionNotReplicated',
      'CommunityGalleryImageNotFound',
    ),
    code: 'AZURE.IMAGE_NOT_FOUND',
    then: 'stop',
    because: 'all sizes of an architecture share the image; the class or the setting must name another',
  },
  {
    name: 'denied by policy',
    matches: withCode('RequestDisallowedByPolicy'),
    code: 'AZURE.POLICY_DENIED',
    blocks: 'size in scope as this capacity type',
    concerns: 'the NodeClass',
    ttlMs: HOUR,
    because: 'such policies mostly list allowed sizes: another size may pass, this one will not until a person changes the policy',
  },
  {
    name: 'locked',
    matches: withCode('ScopeLocked'),
    code: 'AZURE.LOCKED',
    then: 'stop',
    retryAfterMs: 5 * MINUTE,
    because: 'a lock holds for the whole resource group; no size helps until a person removes it',
  },
  {
    name: 'subscription disabled',
    matches: withCode('ReadOnlyDisabledSubscription', 'DisabledSubscription', 'SubscriptionDisabled', 'SubscriptionNotFound'),
    code: 'AZURE.SUBSCRIPTION',
    then: 'stop',
    retryAfterMs: 5 * MINUTE,
    because: 'the subscription takes no writes until a person enables it',
  },
  {
    name: 'not registered',
    matches: (failure) =>
      withCode(
        'MissingSubscriptionRegistration',
        'SubscriptionNotRegistered',
        'NoRegisteredProviderFound',
        'MissingRegistrationForLocation',
      )(failure) || failure.message.includes('feature is not enabled for this subscription'),
    code: 'AZURE.SUBSCRIPTION',
    then: 'stop',
    retryAfterMs: 5 * MINUTE,
    because: 'a provider or feature is registered once for the subscription, for all sizes',
  },
  {
    name: 'limit of the network',
    matches: ({ code, message }) =>
      code.endsWith('CountLimitReached') || (/backend ?(address ?)?pool/i.test(message) && /limit|maximum|exceed/i.test(message)),
    code: 'AZURE.NETWORK_LIMIT',
    then: 'stop',
    retryAfterMs: 5 * MINUTE,
    because: 'every machine joins the same backend pools and counts against the same limits; nodes must end, or a person raises the limit',
  },
  {
    name: 'not authorised',
    matches: (failure) =>
      failure.status === 403 || withCode('AuthorizationFailed', 'LinkedAuthorizationFailed', 'AuthenticationFailed')(failure),
    code: 'AZURE.FORBIDDEN',
    then: 'stop',
    because: 'the identity lacks a right; no other size changes that',
  },
  {
    name: 'resource group or parent not found',
    matches: (failure) => failure.status === 404 || withCode('ResourceGroupNotFound', 'ResourceGroupBeingDeleted')(failure),
    code: 'AZURE.NOT_FOUND',
    then: 'stop',
    because: 'all sizes need the same resource group; a new machine itself cannot be missing',
  },
  {
    name: 'request too large',
    matches: (failure) => failure.status === 413,
    code: 'AZURE.FAILED',
    then: 'stop',
    because: 'the size of the request does not depend on the size of the machine',
  },
  {
    name: 'request refused for another reason',
    matches: (failure) => !failure.isOutage,
    code: 'AZURE.FAILED',
    blocks: 'offering',
    concerns: 'the NodeClass',
    ttlMs: 10 * MINUTE,
    because: 'often one property does not go with the size; the cause is not known, so no other NodeClass pays for it',
  },
]
