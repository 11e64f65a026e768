import { testArea } from './rows.ts'

testArea('fields')
