import * as z from 'zod'
import { jsonText } from '../../cli/jsonText.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'
import { requireReach } from './requireReach.ts'
import { waitForAssignments, waitForDefinitions } from './waitForRoles.ts'

type Deps = Pick<HookDeps, 'environment' | 'print'> & { readonly access: Pick<HookDeps['access'], 'arm' | 'clock' | 'web'> }

const made = z.object({ JOINER_ROLE_IDS: jsonText(z.array(z.string())) })
const place = z.object({
  AZURE_SUBSCRIPTION_ID: z.string().min(1),
  AZURE_RESOURCE_GROUP: z.string().min(1),
  JOINER_APP_ENDPOINT: z.url(),
})

/** Runs after the layer `roles`: the next layer assigns what this one defined. */
export async function runPostroles({ environment, access, print }: Deps): Promise<number> {
  await waitForDefinitions(access, read(made, environment).JOINER_ROLE_IDS, print)
  return 0
}

/** Runs before the code is deployed: the app puts it into storage by its own identity. */
export async function runPredeploy({ environment, access, print }: Deps): Promise<number> {
  const { AZURE_SUBSCRIPTION_ID: subscription, AZURE_RESOURCE_GROUP: group, JOINER_APP_ENDPOINT: endpoint } = read(place, environment)
  if (environment['JOINER_NETWORK'] === 'private') await requireReach(access, endpoint)
  await waitForAssignments(access, `/subscriptions/${subscription}/resourceGroups/${group}`, print)
  return 0
}

function read<Schema extends z.ZodType>(schema: Schema, environment: HookDeps['environment']): z.output<Schema> {
  const found = schema.safeParse(environment)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw new HookFailure(`SETTING.INVALID   ${issue?.path.join('.')} of the environment: ${issue?.message}; run: azd up`)
}
