import { testArea } from './rows.ts'

testArea('records')
