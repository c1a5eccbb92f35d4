import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccountIssuer } from '../access/accountIssuer.ts'
import type { User } from '../access/user.ts'
import type { Json, JsonObject } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import type { Api, Target } from '../verbs/api.ts'
import { createObject, type Written } from '../verbs/create.ts'
import { deletedStatus, deleteObject, readDeleteOptions } from '../verbs/delete.ts'
import { listObjects, type Pages, readFilter } from '../verbs/list.ts'
import { patchObject } from '../verbs/patch.ts'
import { updateObject } from '../verbs/update.ts'
import { type WatchSink, watchObjects } from '../verbs/watch.ts'
import { readWriteOptions } from '../verbs/writeOptions.ts'
import { mediaType, parseBody } from './body.ts'
import type { Reply } from './reply.ts'
import { acceptedShape, createRepresentation, type Representation } from './representation.ts'
import { methodNotAllowed, notFound, unsupportedMediaType } from './statusError.ts'
import type { WatchRegister } from './watchRegister.ts'

export interface ResourceCall {
  readonly verb: string
  readonly target: Target
  readonly query: URLSearchParams
  readonly user: User
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
}

export interface ResourceDeps {
  readonly api: Api
  readonly accounts: AccountIssuer
  readonly pages: Pages
  readonly watches: WatchRegister
  readonly bookmarkMs: number
}

/** Answers a call on a resource or its status. Returns undefined if the answer is a stream that has started. */
export function handleResource(deps: ResourceDeps, call: ResourceCall): Reply | undefined {
  const { api } = deps
  const { target, query, user } = call
  switch (call.verb) {
    case 'get':
      return reply(api, call, readOne(api, target))
    case 'list':
      return replyList(deps, call)
    case 'watch':
      streamWatch(deps, call)
      return undefined
    case 'create':
      return replyWritten(
        api,
        call,
        createObject(api, target, requireBody(call), user, readWriteOptions(query, call.request.headers['user-agent'])),
      )
    case 'update':
      return replyWritten(
        api,
        call,
        updateObject(api, target, requireBody(call), user, readWriteOptions(query, call.request.headers['user-agent'])),
      )
    case 'patch': {
      const patch = { type: mediaType(call.request), body: requireBody(call) }
      return replyWritten(api, call, patchObject(api, target, patch, user, readWriteOptions(query, call.request.headers['user-agent'])))
    }
    case 'delete':
      return replyDeleted(api, call)
    case 'deletecollection':
      return replyDeletedAll(deps, call)
    default:
      throw methodNotAllowed()
  }
}

export function requireBody(call: ResourceCall): Json {
  const body = parseBody(call.body, mediaType(call.request))
  if (body === undefined) throw unsupportedMediaType('the body of the request was empty')
  return body
}

export function readOne(api: Api, target: Target): KubeObject {
  const found = api.store.get(target.resource.storedAs, target.namespace, target.name)
  if (!found) throw notFound(target.resource, target.name)
  return found
}

function representationOf(api: Api, call: ResourceCall): Representation {
  return createRepresentation({
    shape: acceptedShape(call.request.headers.accept ?? ''),
    served: call.target,
    now: api.now,
    includeObject: call.query.get('includeObject') ?? 'Metadata',
  })
}

/** Writes objects as the client asks for them: plain, as a table, or as metadata. */
export function createReply(
  api: Api,
  call: ResourceCall,
): { readonly one: (object: KubeObject) => Reply; readonly list: (items: readonly KubeObject[], meta: JsonObject) => Reply } {
  return {
    one: (object) => reply(api, call, object),
    list: (items, meta) => ({ code: 200, body: representationOf(api, call).list(items, meta) }),
  }
}

function reply(api: Api, call: ResourceCall, object: KubeObject): Reply {
  return { code: 200, body: `${representationOf(api, call).one(object).trimEnd()}\n` }
}

function replyWritten(api: Api, call: ResourceCall, written: Written): Reply {
  const { body } = reply(api, call, written.object)
  return { code: written.created ? 201 : 200, body, warnings: written.warnings }
}

function replyList({ api, pages }: ResourceDeps, call: ResourceCall): Reply {
  const page = listObjects(api, pages, call.target, call.query)
  const meta = {
    resourceVersion: String(page.resourceVersion),
    ...(page.continueToken === '' ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined || readFilter(call.target.resource, call.query) ? {} : { remainingItemCount: page.remaining }),
  }
  return createReply(api, call).list(page.items, meta)
}

function streamWatch(deps: ResourceDeps, call: ResourceCall): void {
  const { response } = call
  const sink: WatchSink = {
    write: (line) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
      response.write(line)
    },
    end: () => response.end(),
  }
  const request = {
    target: call.target,
    query: call.query,
    representation: representationOf(deps.api, call),
    bookmarkMs: deps.bookmarkMs,
  }
  const stop = watchObjects(deps.api, request, sink)
  // Without the response headers, a watcher would wait for the first event to know that it is connected.
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
    response.flushHeaders()
  }
  deps.watches.add(response, stop)
}

function replyDeleted(api: Api, call: ResourceCall): Reply {
  const { resource, namespace, name } = call.target
  const options = readDeleteOptions(parseBody(call.body, mediaType(call.request)), call.query)
  const { object, gone } = deleteObject(api, resource, { namespace, name }, options)
  if (gone && !resource.returnsDeleted) return { code: 200, body: deletedStatus(resource, object) }
  return reply(api, call, object)
}

function replyDeletedAll(deps: ResourceDeps, call: ResourceCall): Reply {
  const { api } = deps
  const { resource, namespace } = call.target
  const options = readDeleteOptions(parseBody(call.body, mediaType(call.request)), call.query)
  const filter = readFilter(resource, call.query)
  const items = api.store.list(resource.storedAs, namespace).filter((object) => !filter || filter(object))
  const deleted = items.map((object) => {
    const key = { namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' }
    return deleteObject(api, resource, key, options).object
  })
  return { code: 200, body: representationOf(api, call).list(deleted, { resourceVersion: String(api.store.resourceVersion) }) }
}
