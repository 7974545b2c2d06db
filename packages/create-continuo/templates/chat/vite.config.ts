import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The page asks its own origin, and Vite passes /api on to the server. In production, a proxy such as nginx does that.
const proxy = { '/api': { target: process.env.CONTINUO_URL ?? 'http://127.0.0.1:4400' } };

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } });
