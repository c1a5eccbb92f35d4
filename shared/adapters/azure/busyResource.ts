import { member } from './armFailure.ts'

/**
 * Codes by which Azure says that one resource is still changing. Microsoft.Network gives them with status 429, too, also with a time to wait, although
 * no limit is reached. Sources: hashicorp/terraform#7986 and cloudfoundry/bosh-azure-cpi-release#179 (2016-07), kubernetes-sigs/cluster-api-provider-azure#4385
 * (2023-12). All read on 2026-11-29.
 */
export const BUSY_RESOURCE_CODES: readonly string[] = [
  'RetryableError',
  'RetryableErrorDueToAnotherOperation',
  'ReferencedResourceNotProvisioned',
  'AnotherOperationInProgress',
]

/** Reports whether the body of a response is about one resource that is still changing. */
export function isOfBusyResource(body: unknown): boolean {
  const error = member(body, 'error') ?? body
  const details = member(error, 'details')
  const codes = [error, ...(Array.isArray(details) ? details : [])].map((each) => member(each, 'code'))
  return codes.some((code) => typeof code === 'string' && BUSY_RESOURCE_CODES.includes(code))
}
