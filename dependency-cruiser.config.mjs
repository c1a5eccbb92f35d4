// Generated at load from floors.json: nothing to edit here. `npm run check` runs it through scripts/cruise.ts, which also counts modules.
import { cruiserConfiguration } from './scripts/floorRules.ts'
import { loadFloors } from './scripts/floors.ts'

export default cruiserConfiguration(loadFloors())
