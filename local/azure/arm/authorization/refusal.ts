import type { ArmAnswer } from '../armAnswer.ts'
import type { AccessDecision } from './access.ts'

/**
 * The answer of ARM to a principal without the needed permission. The texts are those of public reports: AuthorizationFailed in Azure/ARO-HCP pull
 * request 1611 (2025-04), LinkedAuthorizationFailed in Azure/aad-pod-identity issues 339 and 443 (2019). Both name the client by its object id.
 */
export function refusal(principalId: string, verdict: Extract<AccessDecision, { isGranted: false }>): ArmAnswer {
  const { needed, missing, isLinked } = verdict
  const client = `The client '${principalId}' with object id '${principalId}'`
  const actions = [...new Set(missing.map(({ action }) => action))].join(',')
  const scopes = [...new Set(missing.map(({ scope }) => scope))].join(',')
  if (!isLinked)
    return forbidden(
      'AuthorizationFailed',
      `${client} does not have authorization to perform action '${actions}' over scope '${scopes}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
    )
  return forbidden(
    'LinkedAuthorizationFailed',
    `${client} has permission to perform action '${needed.own.action}' on scope '${needed.own.scope}'; however, it does not have permission to perform action(s) '${actions}' on the linked scope(s) '${scopes}' (respectively) or the linked scope(s) are invalid.`,
  )
}

/** An error without the details that the services below ARM add to theirs, because ARM itself refuses. */
const forbidden = (code: string, message: string): ArmAnswer => ({ status: 403, body: { error: { code, message } } })
