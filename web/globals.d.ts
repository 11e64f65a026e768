/** Whether the build has the component gallery (vite.config.ts). */
declare const hasGallery: boolean
