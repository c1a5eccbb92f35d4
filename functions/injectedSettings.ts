import { type Problem, problem } from '../shared/model/problem.ts'

const STORAGE = 'AzureWebJobsStorage'
const IDENTITY = /^AzureWebJobsStorage__(accountName|blobServiceUri|queueServiceUri|tableServiceUri|credential|clientId)$/i

type InjectedSetting = {
  /** Names of the setting. The host compares names without regard to case. */
  readonly name: RegExp
  /** An example of the name, for messages and tests. */
  readonly example: string
  /** `always`: the start is refused. `besideIdentity`: it is refused if settings of the identity are there. `never`: the setting has no effect. */
  readonly isRefused: 'always' | 'besideIdentity' | 'never'
  readonly why: string
}

/**
 * Settings that no template of Joiner sets. A tool, a page of the portal or the platform may add them. The host looks for a connection first with the
 * prefix `AzureWebJobs`, first among the connection strings, and takes a text before an identity. (Azure/azure-functions-host,
 * ConfigurationExtensions.GetWebJobsConnectionStringSection; .NET, prefixes of EnvironmentVariablesConfigurationProvider; seen 2026-11-29.)
 */
export const INJECTED_SETTINGS: readonly InjectedSetting[] = [
  {
    name: /^AzureWebJobsStorage$/i,
    example: STORAGE,
    isRefused: 'besideIdentity',
    why: 'the Functions host takes this connection string, and not the identity',
  },
  {
    name: /^(\w+CONNSTR_|ConnectionStrings(__|:))(AzureWebJobs)?AzureWebJobsStorage$/i,
    example: `CUSTOMCONNSTR_${STORAGE}`,
    isRefused: 'always',
    why: `the Functions host takes this connection string before ${STORAGE}, and the app does not`,
  },
  {
    name: /^AzureWebJobsAzureWebJobsStorage((__|:)\w+)?$/i,
    example: `AzureWebJobs${STORAGE}__accountName`,
    isRefused: 'always',
    why: `the triggers of the Functions host take this connection before ${STORAGE}, and the app does not`,
  },
  {
    name: /^APPINSIGHTS_INSTRUMENTATIONKEY$/i,
    example: 'APPINSIGHTS_INSTRUMENTATIONKEY',
    isRefused: 'never',
    why: 'the app and the host take APPLICATIONINSIGHTS_CONNECTION_STRING',
  },
  {
    name: /^(DEPLOYMENT_STORAGE_CONNECTION_STRING|WEBSITE_CONTENTAZUREFILECONNECTIONSTRING|WEBSITE_CONTENTSHARE)$/i,
    example: 'DEPLOYMENT_STORAGE_CONNECTION_STRING',
    isRefused: 'never',
    why: 'the package is read with the identity of the site, which functionAppConfig names',
  },
  {
    name: /^(AzureWebJobsDashboard|AZURE_CLIENT_SECRET|AZURE_CLIENT_CERTIFICATE_PATH|AZURE_USERNAME|AZURE_PASSWORD)$/i,
    example: 'AZURE_CLIENT_SECRET',
    isRefused: 'never',
    why: 'with AZURE_CLIENT_ID the app takes the managed identity only, and without it these need AZURE_CLIENT_ID',
  },
]

/** Returns a problem for each setting that takes the place of the identity, or that only the host would follow. No problem holds a value. */
export function injectedSettingProblems(names: readonly string[]): readonly Problem[] {
  const identity = names.filter((name) => IDENTITY.test(name)).sort()
  return INJECTED_SETTINGS.flatMap(({ name: pattern, isRefused, why }) => {
    if (isRefused === 'never' || (isRefused === 'besideIdentity' && identity.length === 0)) return []
    const beside = isRefused === 'besideIdentity' ? ` beside ${identity.join(', ')}` : ''
    return names
      .filter((name) => pattern.test(name))
      .map((path) => {
        const rule = `must not be set${beside}: ${why}; remove ${path} from the settings and connection strings of the function app`
        return problem('SETTING.INVALID', `setting ${path}: ${rule}`, { path })
      })
  })
}
