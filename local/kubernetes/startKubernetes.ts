import { randomBytes, randomUUID } from 'node:crypto'
import { InternalError } from '../../shared/base/result.ts'
import { createServingCertificate } from '../certificates/serving.ts'
import { type AccountIssuer, createAccountIssuer } from './access/accountIssuer.ts'
import { readAccountTokens } from './access/accountTokens.ts'
import { createAuthentication, type TokenReader } from './access/authentication.ts'
import { createAuthorizer } from './access/authorization.ts'
import { readBootstrapTokens } from './access/bootstrapTokens.ts'
import { readJwts } from './access/jwtTokens.ts'
import { judgesFor } from './access/rules.ts'
import { type RunningControllers, runControllers } from './controllers/controller.ts'
import { createDefinitionController } from './controllers/definitions.ts'
import { createDisruptionBudgetController } from './controllers/disruptionBudgets.ts'
import { createGarbageCollector } from './controllers/garbageCollector.ts'
import { createNamespaceController } from './controllers/namespaces.ts'
import { createListener } from './http/listener.ts'
import { createRequestHandler } from './http/requestHandler.ts'
import { createWatchRegister } from './http/watchRegister.ts'
import { printKubeconfig } from './kubeconfig.ts'
import type { KubernetesOptions, LocalKubernetes } from './kubernetesOptions.ts'
import { METRICS_RESOURCES } from './metrics/metricsResources.ts'
import { BUILTINS } from './resources/builtins.ts'
import { createCatalogue } from './resources/catalogue.ts'
import { DEFINITIONS, definitionResource } from './resources/definitionStrategy.ts'
import { eventResource } from './resources/eventResource.ts'
import { REVIEW_RESOURCES } from './resources/reviewResources.ts'
import { seedNamespaces } from './seedNamespaces.ts'
import { createStore } from './store/store.ts'
import { BUILTIN_TABLES, nameAndAge } from './tables/builtinTables.ts'
import type { Api } from './verbs/api.ts'
import { createPages } from './verbs/list.ts'

const ADMIN = 'joiner-admin'
const HISTORY = 20_000
const BOOKMARK_MS = 60_000

/** Starts an embedded Kubernetes API server on the loopback interface. */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<LocalKubernetes> {
  const api = createApi(options)
  const controllers = startControllers(api)
  seedNamespaces(api, options.namespaces ?? [])
  const admin = { token: randomBytes(24).toString('hex'), user: ADMIN, groups: ['system:masters'] }
  const accounts = createAccountIssuer(() => `https://${listener.address()}`)
  const authentication = createAuthentication([admin, ...(options.tokens ?? [])], tokenReaders(options, api, accounts))
  const judges = judgesFor(api, options.authorization ?? 'open')
  const pages = createPages()
  const watches = createWatchRegister()
  const serving = await createServingCertificate('local-kubernetes-ca', ['kubernetes.default.svc'])
  const handler = createRequestHandler({
    api,
    accounts,
    pages,
    watches,
    bookmarkMs: options.bookmarkMs ?? BOOKMARK_MS,
    version: options.version ?? 'v1.34.2',
    address: () => listener.address(),
    authentication,
    authorize: createAuthorizer(judges.judge),
    judges,
  })
  const listener = createListener(serving, handler)
  await listener.listen(options.port ?? 0)
  const url = `https://${listener.address()}`
  const caCertificate = serving.authority
  const pause = async (): Promise<void> => {
    watches.endAll()
    await listener.stop()
  }
  return {
    url,
    caCertificate,
    adminToken: admin.token,
    accountIssuer: accounts,
    store: api.store,
    kubeconfig: (user = ADMIN) => {
      const token = authentication.tokenOf(user)
      if (token === undefined) throw new InternalError(`kubeconfig asked for user ${JSON.stringify(user)}, which has no token`)
      return printKubeconfig({ url, caCertificate }, user, token)
    },
    addToken: (user) => authentication.addToken(user),
    compact: () => {
      api.store.compact()
      pages.forget()
    },
    disconnectWatches: () => watches.endAll(),
    pause,
    resume: () => listener.listen(listener.port()),
    restart: async () => {
      await pause()
      await listener.listen(listener.port())
    },
    close: async () => {
      controllers.close()
      await pause()
    },
  }
}

function tokenReaders({ oidc }: KubernetesOptions, api: Api, accounts: AccountIssuer): readonly TokenReader[] {
  return [readBootstrapTokens(api), readAccountTokens(api, accounts), ...(oidc ? [readJwts(oidc, api.now)] : [])]
}

function createApi(options: KubernetesOptions): Api {
  return {
    store: createStore({ history: options.history ?? HISTORY }),
    catalogue: createCatalogue([
      ...BUILTINS,
      ...REVIEW_RESOURCES,
      ...METRICS_RESOURCES,
      eventResource,
      definitionResource(BUILTIN_TABLES[DEFINITIONS] ?? nameAndAge),
    ]),
    now: options.now ?? Date.now,
    newUid: randomUUID,
  }
}

function startControllers(api: Api): RunningControllers {
  return runControllers(api, [
    createDefinitionController(api),
    createGarbageCollector(api),
    createNamespaceController(api),
    createDisruptionBudgetController(api),
  ])
}
