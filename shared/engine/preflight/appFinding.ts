import type { AppFacts } from '../../model/installFacts.ts'
import type { Finding } from './preflight.ts'

const PAGE = 'docs/troubleshoot.md#the-app-does-not-work'

/** What to do about an app that runs and does no work. The next `azd up` may be the remedy, so it prevents no installation. */
export function appFinding({ name: object, state, message = '' }: AppFacts): Finding {
  const found = { severity: 'warn', code: 'PREFLIGHT.APP', object } as const
  if (state === 'refused') {
    const remedy = `correct them with azd env set and azd up, or with az functionapp config appsettings set: ${PAGE}`
    return { ...found, message, remedy }
  }
  const empty = 'the app has no function for its own routes ("0 functions loaded" in its log), so every route answers 404'
  const remedy = `deploy the code again with azd deploy; if the routes stay away, the app fails while it loads: ${PAGE}`
  return { ...found, message: empty, remedy }
}
