import { ownValue } from '../../../shared/base/values.ts'
import type { Reply } from '../http/reply.ts'
import type { ResourceCall, ResourceDeps } from '../http/resourceHandler.ts'
import { methodNotAllowed, notImplemented } from '../http/statusError.ts'
import { bindPod } from './binding.ts'
import { evictPod } from './eviction.ts'
import { handleApproval, handleFinalize } from './partialWrites.ts'
import { handleScale } from './scale.ts'
import { requestToken } from './tokenRequest.ts'

const MISSING: { readonly [subresource: string]: string } = {
  log: 'container logs: its pods run no containers',
  exec: 'exec: its pods run no containers',
  attach: 'attach: its pods run no containers',
  portforward: 'port forwarding: its pods run no containers',
  proxy: 'proxying: its pods run no containers',
  ephemeralcontainers: 'ephemeral containers',
  resize: 'in-place resizing of pods',
}

/** Answers subresources other than status. */
export function handleSubresource(deps: ResourceDeps, call: ResourceCall): Reply {
  const { subresource } = call.target
  const missing = ownValue(MISSING, subresource)
  if (missing !== undefined) throw notImplemented(missing)
  switch (subresource) {
    case 'scale':
      return handleScale(deps.api, call)
    case 'eviction':
      if (call.verb !== 'create') throw methodNotAllowed()
      return evictPod(deps.api, call)
    case 'binding':
      if (call.verb !== 'create') throw methodNotAllowed()
      return bindPod(deps.api, call)
    case 'token':
      return requestToken(deps.api, deps.accounts, call)
    case 'approval':
      return handleApproval(deps.api, call)
    case 'finalize':
      return handleFinalize(deps.api, call)
    default:
      throw notImplemented(`the subresource ${call.target.resource.plural}/${subresource}`)
  }
}
